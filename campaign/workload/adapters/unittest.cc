#include "campaign/workload/adapters/registry.h"

#include <algorithm>
#include <filesystem>

#include "trace/executions.h"

namespace retrial::campaign {
namespace {

std::vector<std::string>::const_iterator unittest_in(const std::vector<std::string>& argv) {
  for (auto it = argv.begin(); it != argv.end(); ++it)
    if (*it == "unittest" && it != argv.begin() && *std::prev(it) == "-m") return it;
  return argv.end();
}

// The folder that discovery puts on sys.path: ids are named from there.
std::string start_folder(const std::vector<std::string>& argv) {
  for (std::size_t i = 0; i + 1 < argv.size(); i++) {
    if (argv[i] == "-t" || argv[i] == "--top-level-directory") return argv[i + 1];
    if (argv[i] == "-s" || argv[i] == "--start-directory") return argv[i + 1];
    if (argv[i] == "discover" && !argv[i + 1].starts_with('-')) return argv[i + 1];
  }
  return {};
}

class Unittest final : public Adapter {
 public:
  const Runner& runner() const override {
    static const Runner runner{
        .name = "unittest",
        .hook = {"python/retrial_agent/runners/unittest.py"},
        .test_files = {.prefixes = {"test_"}, .folders = {"test", "tests"}},
        .executes_again = true,
    };
    return runner;
  }
  bool knows(const std::vector<std::string>& argv) const override { return unittest_in(argv) != argv.end(); }

  Launch suite(const std::vector<std::string>& argv) const override { return {.argv = argv}; }

  Launch only(const std::vector<std::string>& argv, const std::vector<std::string>& tests, bool) const override {
    Launch launch{.argv = {argv.begin(), std::next(unittest_in(argv))},
                  .environment = {"RETRIAL_NO_TIME_LIMIT=1"},
                  .only = only_where_again(tests)};
    for (auto flag : {"-v", "-q", "-b", "--buffer", "--verbose", "--quiet", "--locals"})
      if (std::find(argv.begin(), argv.end(), flag) != argv.end()) launch.argv.push_back(flag);
    for (auto& test : tests) launch.argv.emplace_back(trace::test_of(test));
    // A start folder that is itself a package is imported by its own name, not from within.
    if (auto folder = start_folder(argv); !folder.empty() && !std::filesystem::exists(folder + "/__init__.py"))
      launch.paths = {{"PYTHONPATH", std::filesystem::absolute(folder).string(), ":"}};
    return launch;
  }
};

}  // namespace

const Adapter& unittest_adapter() {
  static const Unittest adapter;
  return adapter;
}

}  // namespace retrial::campaign

#include <algorithm>

#include "campaign/workload/adapters/node_program.h"
#include "campaign/workload/adapters/registry.h"

namespace retrial::campaign {
namespace {

// The files of the tests are named to it: it starts a process for each. A word that it takes for a part of a file's
// name adds files: where there is one, all of them stay.
class Vitest final : public NodeRunner {
 public:
  const Runner& runner() const override {
    static const Runner runner{
        .name = "vitest",
        .hook = {"node/lib/runners/vitest.cjs"},
        .test_files = {.suffixes = {".test", ".spec"}},
        .files_at_once = true,
        .executes_again = true,
    };
    return runner;
  }
  Launch only(const std::vector<std::string>& argv, const std::vector<std::string>& tests, bool wide) const override {
    auto launch = NodeRunner::only(argv, tests, wide);
    auto options = argv.begin() + static_cast<std::ptrdiff_t>(*program_at(argv)) + 1;
    bool plain = std::all_of(options, argv.end(), [](auto& word) { return word == "run" || word.starts_with('-'); });
    if (wide || !plain) return launch;
    auto files = files_of(tests);
    launch.argv.insert(launch.argv.end(), files.begin(), files.end());
    return launch;
  }

 protected:
  std::optional<std::size_t> program_at(const std::vector<std::string>& argv) const override {
    return node_program_at(argv, {"vitest"});
  }
};

}  // namespace

const Adapter& vitest_adapter() {
  static const Vitest adapter;
  return adapter;
}

}  // namespace retrial::campaign

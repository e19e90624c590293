#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "campaign/workload/adapters/node_program.h"
#include "campaign/workload/adapters/registry.h"

namespace retrial::campaign {
namespace {

// Its hook runs all in one process, chooses the tests, and lifts time limits; the files are named to jest, which takes
// long to load one.
class Jest final : public Adapter {
 public:
  const Runner& runner() const override {
    static const Runner runner{
        .name = "jest",
        .hook = {"node/lib/runners/jest.cjs"},
        .test_files = {.suffixes = {".test", ".spec"}, .folders = {"__tests__"}},
    };
    return runner;
  }
  bool knows(const std::vector<std::string>& argv) const override {
    return node_program_at(argv, {"jest"}).has_value();
  }
  Launch suite(const std::vector<std::string>& argv) const override {
    return {.argv = argv, .environment = {"RETRIAL_SERIAL=1"}};
  }
  Launch only(const std::vector<std::string>& argv, const std::vector<std::string>& tests, bool wide) const override {
    Launch launch{.argv = argv,
                  .environment = {"RETRIAL_SERIAL=1", "RETRIAL_NO_TIME_LIMIT=1"},
                  .only = fmt::format("{}", fmt::join(tests, "\n"))};
    std::vector<std::string> files;
    for (auto& test : tests)
      if (auto file = test.substr(0, test.find(" > ")); std::ranges::find(files, file) == files.end())
        files.push_back(std::move(file));
    if (wide || !std::ranges::all_of(files, [](auto& file) { return std::filesystem::exists(file); })) return launch;
    if (std::ranges::find(argv, "--runTestsByPath") == argv.end()) {
      launch.argv.push_back("--runTestsByPath");
      launch.argv.insert(launch.argv.end(), files.begin(), files.end());
    }
    return launch;
  }
};

}  // namespace

const Adapter& jest_adapter() {
  static const Jest adapter;
  return adapter;
}

}  // namespace retrial::campaign

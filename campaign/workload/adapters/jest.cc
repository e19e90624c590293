#include <algorithm>

#include "campaign/workload/adapters/node_program.h"
#include "campaign/workload/adapters/registry.h"

namespace retrial::campaign {
namespace {

// The files of the tests are named to it: it takes long to load one.
class Jest final : public NodeRunner {
 public:
  const Runner& runner() const override {
    static const Runner runner{
        .name = "jest",
        .hook = {"node/lib/runners/jest.cjs"},
        .test_files = {.suffixes = {".test", ".spec"}, .folders = {"__tests__"}},
        .files_at_once = true,
        .executes_again = true,
    };
    return runner;
  }
  Launch only(const std::vector<std::string>& argv, const std::vector<std::string>& tests, bool wide) const override {
    auto launch = NodeRunner::only(argv, tests, wide);
    auto files = files_of(tests);
    if (wide || files.empty() || std::ranges::find(argv, "--runTestsByPath") != argv.end()) return launch;
    launch.argv.push_back("--runTestsByPath");
    launch.argv.insert(launch.argv.end(), files.begin(), files.end());
    return launch;
  }

 protected:
  std::optional<std::size_t> program_at(const std::vector<std::string>& argv) const override {
    return node_program_at(argv, {"jest"});
  }
};

}  // namespace

const Adapter& jest_adapter() {
  static const Jest adapter;
  return adapter;
}

}  // namespace retrial::campaign

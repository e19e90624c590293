#include "campaign/workload/adapters/node_program.h"
#include "campaign/workload/adapters/registry.h"

namespace retrial::campaign {
namespace {

// Every file is loaded each time, for any of them may define what runs before each test of the others.
class Mocha final : public NodeRunner {
 public:
  const Runner& runner() const override {
    static const Runner runner{
        .name = "mocha",
        .hook = {"node/lib/runners/mocha.cjs"},
        .test_files = {.suffixes = {".test", ".spec", "-test", "_test"}, .folders = {"test", "tests", "spec"}},
        .executes_again = true,
    };
    return runner;
  }

 protected:
  std::optional<std::size_t> program_at(const std::vector<std::string>& argv) const override {
    return node_program_at(argv, {"mocha", "_mocha"});
  }
};

}  // namespace

const Adapter& mocha_adapter() {
  static const Mocha adapter;
  return adapter;
}

}  // namespace retrial::campaign

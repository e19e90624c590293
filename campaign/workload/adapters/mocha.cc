#include <fmt/format.h>
#include <fmt/ranges.h>

#include "campaign/workload/adapters/node_program.h"
#include "campaign/workload/adapters/registry.h"

namespace retrial::campaign {
namespace {

// Its hook does all: serial runs, the choice of tests, and time limits. Every file is loaded each time, for any of
// them may define what runs before each test of the others.
class Mocha final : public Adapter {
 public:
  const Runner& runner() const override {
    static const Runner runner{
        .name = "mocha",
        .hook = {"node/lib/runners/mocha.cjs"},
        .test_files = {.suffixes = {".test", ".spec", "-test", "_test"}, .folders = {"test", "tests", "spec"}},
    };
    return runner;
  }
  bool knows(const std::vector<std::string>& argv) const override {
    return node_program_at(argv, {"mocha", "_mocha"}).has_value();
  }
  Launch suite(const std::vector<std::string>& argv) const override {
    return {.argv = argv, .environment = {"RETRIAL_SERIAL=1"}};
  }
  Launch only(const std::vector<std::string>& argv, const std::vector<std::string>& tests, bool) const override {
    return {.argv = argv,
            .environment = {"RETRIAL_SERIAL=1", "RETRIAL_NO_TIME_LIMIT=1"},
            .only = fmt::format("{}", fmt::join(tests, "\n"))};
  }
};

}  // namespace

const Adapter& mocha_adapter() {
  static const Mocha adapter;
  return adapter;
}

}  // namespace retrial::campaign

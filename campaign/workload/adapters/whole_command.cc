#include <fmt/format.h>
#include <fmt/ranges.h>

#include "campaign/workload/adapters/registry.h"

namespace retrial::campaign {
namespace {

// Any command: it is one test, which passes where the command exits with 0. Whatever runner it starts, one that tells
// of its tests (a hook of ours) is asked for one alone, as well as it understands that.
class WholeCommand final : public Adapter {
 public:
  const Runner& runner() const override {
    static const Runner runner{.name = "command", .whole = true};
    return runner;
  }
  bool knows(const std::vector<std::string>&) const override { return true; }
  Launch suite(const std::vector<std::string>& argv) const override {
    return {.argv = argv, .environment = {"RETRIAL_SERIAL=1"}};
  }
  Launch only(const std::vector<std::string>& argv, const std::vector<std::string>& tests, bool wide) const override {
    Launch launch{.argv = argv, .environment = {"RETRIAL_SERIAL=1", "RETRIAL_NO_TIME_LIMIT=1"}};
    if (!wide && tests.front() != kWholeCommand) launch.only = fmt::format("{}", fmt::join(tests, "\n"));
    return launch;
  }
};

}  // namespace

const Adapter& whole_command_adapter() {
  static const WholeCommand adapter;
  return adapter;
}

}  // namespace retrial::campaign

#include "campaign/workload/adapters/registry.h"

namespace retrial::campaign {
namespace {

// Any command: it is one test, which passes where the command exits with 0.
class WholeCommand final : public Adapter {
 public:
  const Runner& runner() const override {
    static const Runner runner{.name = "command", .whole = true};
    return runner;
  }
  bool knows(const std::vector<std::string>&) const override { return true; }
  Launch suite(const std::vector<std::string>& argv) const override { return {.argv = argv}; }
  Launch only(const std::vector<std::string>& argv, std::string_view, bool) const override { return {.argv = argv}; }
};

}  // namespace

const Adapter& whole_command_adapter() {
  static const WholeCommand adapter;
  return adapter;
}

}  // namespace retrial::campaign

#include "campaign/workload/agents/registry.h"

namespace retrial::campaign {
namespace {

// Moves the clock of what is linked against the C library.
class Native final : public Agent {
 public:
  std::string_view name() const override { return "native"; }
  void load(const std::filesystem::path& folder, bool moves_clock, Variables& environment) const override {
    if (moves_clock) put_last(environment, {"LD_PRELOAD", (folder / "retrial_time.so").string(), " "});
  }
};

}  // namespace

const Agent& native_agent() {
  static const Native agent;
  return agent;
}

}  // namespace retrial::campaign

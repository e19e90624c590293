#include "campaign/workload/agents/c_library.h"
#include "campaign/workload/agents/registry.h"

namespace retrial::campaign {
namespace {

// Has test programs that are linked against the C library tell of their tests, and moves their clock.
class Native final : public Agent {
 public:
  std::string_view name() const override { return "native"; }
  void load(const std::filesystem::path& folder, bool moves_clock, Variables& environment) const override {
    if (!preloads_here()) return;
    // The list knows no quotes.
    if (auto hook = (folder / "runners" / "built_in.so").string(); hook.find_first_of(": \t\n") == hook.npos)
      put_last(environment, {"LD_PRELOAD", hook, " "});
    // GCC's runtime of AddressSanitizer ends a program in which it is not the first library, though it does no harm
    // here.
    put_last(environment, {"ASAN_OPTIONS", "verify_asan_link_order=0", ":"});
    if (moves_clock) put_last(environment, {"LD_PRELOAD", (folder / "retrial_time.so").string(), " "});
  }
};

}  // namespace

const Agent& native_agent() {
  static const Native agent;
  return agent;
}

}  // namespace retrial::campaign

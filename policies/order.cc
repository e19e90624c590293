#include "policies/plans.h"
#include "policies/registry.h"

namespace retrial::policies {

// Waffle (Stoica et al., EuroSys 2023): of two operations that came close together the first is held until the other is
// through, by (gap + 1 ms) x 1.15, at least 5 ms and at most 100. Rounded up, so that the same finding has the same
// name in every run. Not tried unless asked for: it is not about retries.
const Policy& order() {
  auto held = [](Nanos time) { return first({.name = trace::FaultName::delay, .delay = time * kMillisecond}, kPass); };
  static const Policy policy{
      .name = "order",
      .question = "Two operations on one thing come the other way round: did anything keep their order?",
      .plans = {held(5), held(10), held(20), held(50), held(100)},
      .by_default = false,
      .of_near_misses = true,
  };
  return policy;
}

}  // namespace retrial::policies

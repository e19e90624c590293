#include "policies/plans.h"
#include "policies/registry.h"

namespace retrial::policies {

// RFC 9110 10.2.3. Ours: longer than a client waits of its own accord before a first retry. Not tried unless asked for:
// whoever does not read Retry-After and backs off is not wrong.
const Policy& r1() {
  constexpr int kSeconds = 17;
  static const Policy policy{
      .name = "R1",
      .question = "The service says how long to stay away: does the caller?",
      .plans = {first({.name = trace::FaultName::error, .retry = trace::RetryAfter::seconds, .retry_after = kSeconds},
                      kPass)},
      .value = 0.3,
      .by_default = false,
  };
  return policy;
}

}  // namespace retrial::policies

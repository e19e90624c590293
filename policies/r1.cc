#include "policies/plans.h"
#include "policies/registry.h"

namespace retrial::policies {

// RFC 9110 10.2.3. Ours: longer than a client waits of its own accord before a first retry. Whoever does not read
// Retry-After and backs off is not wrong: it is asked of applications that read it somewhere, or whose service says it.
const Policy& r1() {
  constexpr int kSeconds = 17;
  static const Policy policy{
      .name = "R1",
      .question = "The service says how long to stay away: does the caller?",
      .plans = {{{{{.name = trace::FaultName::error, .retry = trace::RetryAfter::seconds, .retry_after = kSeconds}, 1},
                  {kTransient, 1},  // what it waits when it is told nothing
                  {kPass, 0}}}},
      .value = 0.3,
      .needs = {.attempts = 1, .shown_by = "P3"},
      .where_named = "retry-after",
      .named_anywhere = true,
  };
  return policy;
}

}  // namespace retrial::policies

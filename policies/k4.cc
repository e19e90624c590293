#include "policies/plans.h"
#include "policies/registry.h"

namespace retrial::policies {

// Ours: a client that has an end of its tries at 503 may have none at 429, which it takes for a matter of waiting alone
// (RFC 6585 4 says neither how long nor how often).
const Policy& k4() {
  static const Policy policy{
      .name = "K4",
      .question = "The service says on every attempt that it is asked too often: do retries wait, and do they end?",
      .once_a_line = {always({.name = trace::FaultName::error, .status = kTooManyRequests})},
      .value = 0.4,
      .needs = {.attempts = 1, .shown_by = "K2"},
  };
  return policy;
}

}  // namespace retrial::policies

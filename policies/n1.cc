#include "policies/plans.h"
#include "policies/registry.h"

namespace retrial::policies {

// Wrong retry decisions (WASABI, SOSP'24, 3.2.2): an error that no retry can change. Asked only of a client that
// retries at all.
const Policy& n1() {
  static const Policy policy{
      .name = "N1",
      .question = "The service says that the request is wrong: is that taken for an answer?",
      .plans = {always({.name = trace::FaultName::error, .status = 400})},
      .value = 0.5,
      .needs = {.attempts = 1, .shown_by = "P3"},
  };
  return policy;
}

}  // namespace retrial::policies

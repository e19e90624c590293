#include "policies/plans.h"
#include "policies/registry.h"

namespace retrial::policies {

// Ours: as K1, but for longer. Asked only of a client that makes more attempts than that.
const Policy& k3() {
  static const Policy policy{
      .name = "K3",
      .question = "The service is unavailable for three attempts: does the caller still recover, and rightly?",
      .plans = {{{{kTransient, 3}, {kPass, 0}}}},
      .value = 0.3,
      .needs = {.attempts = 3, .shown_by = "P3"},
  };
  return policy;
}

}  // namespace retrial::policies

#include "policies/plans.h"
#include "policies/registry.h"

namespace retrial::policies {

// Ours: the mildest fault there is, which every client should get over.
const Policy& k1() {
  static const Policy policy{
      .name = "K1",
      .question = "The service is unavailable for one moment: does the caller recover, and rightly?",
      .plans = {first(kTransient, kPass)},
      .value = 0.5,
      .last_too = true,
  };
  return policy;
}

}  // namespace retrial::policies

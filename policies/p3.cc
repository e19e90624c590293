#include "policies/plans.h"
#include "policies/registry.h"

namespace retrial::policies {

// Rainmaker 4.2, P3.
const Policy& p3() {
  static const Policy policy{
      .name = "P3",
      .question = "The service stays unavailable: do retries wait, do they end, and is the error told as what it is?",
      .plans = {always(kTransient)},
      .value = 1.5,
      .last_too = true,
      .every_look = true,
  };
  return policy;
}

}  // namespace retrial::policies

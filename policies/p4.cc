#include "policies/plans.h"
#include "policies/registry.h"

namespace retrial::policies {

// Rainmaker 4.2, P4: the effect is there, and the caller hears of failures alone.
const Policy& p4() {
  static const Policy policy{
      .name = "P4",
      .question =
          "The request was executed, its response lost, and then the service is unavailable: is the error told as what "
          "it is?",
      .plans = {first(lost(trace::Telling::reset), kTransient)},
      .value = 0.7,
      .value_by_effect = true,
  };
  return policy;
}

}  // namespace retrial::policies

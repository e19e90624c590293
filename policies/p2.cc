#include "policies/plans.h"
#include "policies/registry.h"

namespace retrial::policies {

// Rainmaker 4.2, P2. A stall is waited for in real time, so it is tried once a call site: a missing time-out is a
// matter of how the client was made, not of the operation.
const Policy& p2() {
  static const Policy policy{
      .name = "P2",
      .question =
          "Every response is lost, or none ever comes: does the caller give up, in time and with the right error?",
      .plans = {always(lost(trace::Telling::reset))},
      .once_a_site = {always(lost(trace::Telling::stall))},
      .value = 0.7,
      .value_by_effect = true,
  };
  return policy;
}

}  // namespace retrial::policies

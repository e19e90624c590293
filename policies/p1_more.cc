#include "policies/plans.h"
#include "policies/registry.h"

namespace retrial::policies {

// P1 by other words. FIN is met as RST is by nearly every client. A gateway whose connection to the service broke says
// 502. And the service's own "try again" promises that nothing was done, so a service that has executed all the same
// breaks its contract: whoever sends again is right (Rainmaker 4.2), and has to be safe all the same where it does.
const Policy& p1_more() {
  static const Policy policy{
      .name = "P1+",
      .question = "The same as P1, told in other ways: is it right to send it again?",
      .plans = {first(lost(trace::Telling::close), kPass), first(lost(kBadGateway), kPass),
                first(lost(trace::Telling::error), kPass)},
      .value = 1,
      .value_by_effect = true,
      .by_default = false,
  };
  return policy;
}

}  // namespace retrial::policies

#include "policies/plans.h"
#include "policies/registry.h"

namespace retrial::policies {

// Rainmaker 4.2, P1: the service executes, the client's wait for the response times out. What ends the wait is the
// network (RST), the client's own time-out (silence), or a gateway between them: 504, which tells of the gateway's wait
// and not of the service's work. Three plans, since clients retry each by rules of its own, and each finds bugs that
// the others do not. Some services tell of their own wait: by 504 in their words, or by 408, which is asked only where
// the profile says so: elsewhere that tells of a request that never came whole (RFC 9110 15.5.9).
const Policy& p1() {
  static const Policy policy{
      .name = "P1",
      .question = "The service executes the request but its response is lost: is it right to send it again?",
      .plans = {first(lost(trace::Telling::reset), kPass), first(lost(trace::Telling::stall), kPass),
                first(lost(kGatewayTimeout), kPass)},
      .where_it_times_out = {first(lost(kRequestTimeout), kPass)},
      .value = 2,
      .value_by_effect = true,
  };
  return policy;
}

}  // namespace retrial::policies

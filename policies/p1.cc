#include "policies/plans.h"
#include "policies/registry.h"

namespace retrial::policies {

// Rainmaker 4.2, P1: the service executes, the client is told otherwise. Two plans, since clients retry a broken
// connection and a status by different rules, and each finds bugs that the other does not.
const Policy& p1() {
  static const Policy policy{
      .name = "P1",
      .question = "The service executes the request but its response is lost: is it right to send it again?",
      .plans = {first(lost(trace::Telling::reset), kPass), first(lost(trace::Telling::error), kPass)},
      .value = 2,
      .value_by_effect = true,
  };
  return policy;
}

}  // namespace retrial::policies

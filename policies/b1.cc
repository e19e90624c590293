#include "policies/plans.h"
#include "policies/registry.h"

namespace retrial::policies {

// RFC 9112 8: a message whose body ends before its length says so is incomplete, and to be treated as an error. Ours: a
// body that shows by itself where it ends (JSON, XML) fails to parse; of others the length alone tells. Of a stream of
// gRPC's some messages have come then: who begins it anew has them twice.
const Policy& b1() {
  static const Policy policy{
      .name = "B1",
      .question = "The connection ends in the middle of a body: is its first part taken for the whole?",
      .plans = {first({.name = trace::FaultName::close, .point = trace::Point::in_body}, kPass)},
      .value = 0.6,
      .of_opaque_bodies = true,
  };
  return policy;
}

}  // namespace retrial::policies

#include "policies/plans.h"
#include "policies/registry.h"

namespace retrial::policies {

// Ours: of a body that is told by the end of its connection (RFC 9112 6.3), or cut by who stands between, only what
// reads it tells that it is not whole. Most clients raise what their parser raises; some take what they could not read
// for an answer that holds nothing.
const Policy& b2() {
  static const Policy policy{
      .name = "B2",
      .question = "A body of JSON is cut, and its framing does not tell: is it taken for an answer that holds nothing?",
      .once_a_site = {first({.name = trace::FaultName::truncate}, kPass)},
      .value = 0.5,
      .of_json_bodies = true,
  };
  return policy;
}

}  // namespace retrial::policies

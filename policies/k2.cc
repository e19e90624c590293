#include "policies/plans.h"
#include "policies/registry.h"

namespace retrial::policies {

// Ours: clients that know of 5xx alone take this for an answer, and some look for headers that need not be there (RFC
// 6585 4 asks for none). How a client reads it is the same wherever it does.
const Policy& k2() {
  static const Policy policy{
      .name = "K2",
      .question = "The service says once that it is asked too often: does the caller recover, and rightly?",
      .once_a_line = {first({.name = trace::FaultName::error, .status = kTooManyRequests}, kPass)},
      .value = 0.4,
  };
  return policy;
}

}  // namespace retrial::policies

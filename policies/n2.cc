#include "policies/plans.h"
#include "policies/registry.h"

namespace retrial::policies {

// Ours: who gets new credentials when he is not known (RFC 9110 15.5.2), and is not known with these either. Each call
// of its site meets it, since a request with others is a call of its own.
const Policy& n2() {
  static const Policy policy{
      .name = "N2",
      .question = "The service does not know who asks, with new credentials either: does the caller come to an end?",
      .plans = {always({.name = trace::FaultName::error, .status = 401})},
      .value = 0.4,
      .where_named = "401 unauthenticated",
      .every_call = true,
  };
  return policy;
}

}  // namespace retrial::policies

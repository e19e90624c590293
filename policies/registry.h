#pragma once
#include "policies/policy.h"

// One line a policy, in the order in which they are tried: p3 is a function, in p3.cc.
#define RETRIAL_POLICIES(POLICY) \
  POLICY(p3)                     \
  POLICY(p1)                     \
  POLICY(k1)                     \
  POLICY(k2)                     \
  POLICY(p4)                     \
  POLICY(p2)                     \
  POLICY(k3)                     \
  POLICY(k4)                     \
  POLICY(p1_more)                \
  POLICY(n1)                     \
  POLICY(n2)                     \
  POLICY(r1)                     \
  POLICY(b1)                     \
  POLICY(b2)                     \
  POLICY(order)                  \
  POLICY(tof)

namespace retrial::policies {

#define RETRIAL_DECLARE(name) const Policy& name();
RETRIAL_POLICIES(RETRIAL_DECLARE)
#undef RETRIAL_DECLARE

}  // namespace retrial::policies

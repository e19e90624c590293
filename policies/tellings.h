#pragma once
#include "policies/policy.h"

// One file a policy; the table is registry.cc.
namespace retrial::policies {

const Policy& p1();
const Policy& p2();
const Policy& p3();
const Policy& p4();
const Policy& k1();
const Policy& k3();
const Policy& n1();

// What the policies are written in.
inline const trace::FaultSpec kPass{};
inline const trace::FaultSpec kTransient{.name = trace::FaultName::error};
constexpr trace::FaultSpec lost(trace::Telling telling) {
  return {.name = trace::FaultName::lost_response, .telling = telling};
}
inline FaultPlan always(const trace::FaultSpec& fault) { return {{{fault, 0}}}; }
inline FaultPlan first(const trace::FaultSpec& fault, const trace::FaultSpec& then) {
  return {{{fault, 1}, {then, 0}}};
}

}  // namespace retrial::policies

#pragma once
#include "policies/fault_plan.h"
#include "trace/fault_name.h"

// What the policies are written in.
namespace retrial::policies {

inline const trace::FaultSpec kPass{};
inline const trace::FaultSpec kTransient{.name = trace::FaultName::error};
constexpr trace::FaultSpec lost(trace::Telling telling) {
  return {.name = trace::FaultName::lost_response, .telling = telling};
}
constexpr int kRequestTimeout = 408, kTooManyRequests = 429;                 // RFC 9110 15.5.9, RFC 6585 4
constexpr int kBadGateway = 502, kUnavailable = 503, kGatewayTimeout = 504;  // RFC 9110 15.6.3 to 15.6.5
constexpr trace::FaultSpec lost(int told) {
  return {.name = trace::FaultName::lost_response, .telling = trace::Telling::error, .status = told};
}
inline FaultPlan always(const trace::FaultSpec& fault) { return {{{fault, 0}}}; }
inline FaultPlan first(const trace::FaultSpec& fault, const trace::FaultSpec& then) {
  return {{{fault, 1}, {then, 0}}};
}

}  // namespace retrial::policies

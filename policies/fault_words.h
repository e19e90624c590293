#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "trace/fault_spec.h"

// The words of the fault language: every fault with its arguments, once.
namespace retrial::policies {

// How an argument is read, and where it goes in a FaultSpec.
enum class Kind : std::uint8_t {
  status,       // 400 to 599, or transient
  retry_after,  // seconds, or date+seconds
  telling,      // how a response is lost; error(…) has arguments of its own
  cut,          // reset or close
  point,
  part,
  redirect,  // a status of RFC 9110 15.4 that has a Location
  spread,    // and with it, what stands in place of `time`; or, without a word, the time itself
  time,
  base,   // a time
  width,  // a time
  shape,  // a number
  bytes,
  rate,  // bytes a second
  burst,
  by,           // bytes, with a sign
  name,         // of a header
  value,        // of the header that was named before
  grpc_status,  // by name, not OK
  pushback,     // a time, or never
  stream_code,  // of RFC 9113 7, by name
  of_message,
  nth,
};
struct Parameter {
  std::string_view name;
  Kind kind;
  std::string_view expected;
  bool needed = true;
};
struct FaultWord {
  std::string_view word;
  trace::FaultName fault;  // grpc-status is `error` with a status of gRPC
  std::span<const Parameter> parameters;
};

const FaultWord* fault_word(std::string_view word);              // null if unknown
std::span<const std::string_view> fault_words();                 // all of them
std::span<const Parameter> parameters_of(trace::Spread spread);  // of delay, behind the spread's word

}  // namespace retrial::policies

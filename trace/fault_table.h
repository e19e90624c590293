#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "trace/fault_spec.h"

// The rows of trace/faults.inc, as data.
namespace retrial::trace {

// How an argument is read (policies/fault_argument.cc), and where it goes in a FaultSpec.
enum class ArgumentKind : std::uint8_t {
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
  piece,  // bytes, one at least
  at,     // a byte's place
  rate,   // bytes a second
  burst,
  by,           // bytes, with a sign
  name,         // of a header
  set_name,     // of a header that frames nothing
  value,        // of the header that was named before
  grpc_status,  // by name, not OK
  pushback,     // a time, or never
  stream_code,  // of RFC 9113 7, by name
  of_message,
  nth,
  moment,  // of its request's course, at which a process ends
  times,
  member,  // of a JSON object, by its name
};
struct Parameter {
  std::string_view name;
  ArgumentKind kind;
  std::string_view expected;
  bool required = true;
  std::string_view left_out = {};  // what it means where it is left out; empty: what an empty FaultSpec says
};

// What a fault does, as bits. fault_spec.h says each in a sentence.
inline constexpr unsigned kTellsStatus = 1;   // is_status
inline constexpr unsigned kLoses = 2;         // is_loss
inline constexpr unsigned kRefuses = 4;       // is_refusal
inline constexpr unsigned kTakesTime = 8;     // is_slowness
inline constexpr unsigned kIsSilence = 16;    // is_silence
inline constexpr unsigned kBreaks = 32;       // fails_at_once, as does kTellsStatus
inline constexpr unsigned kLeavesRest = 64;   // leaves_rest
inline constexpr unsigned kReplays = 128;     // replays
inline constexpr unsigned kEndsSender = 256;  // ends_sender

struct FaultRow {
  FaultName fault{};
  std::string_view word;  // as it is written: "lost-response"
  std::span<const Parameter> parameters;
  bool of_connection = false;
  std::string (*shown)(const FaultSpec&) =
      nullptr;                                     // null: another spelling of a fault (grpc-status), which that shows
  unsigned (*nature)(const FaultSpec&) = nullptr;  // of the bits above
  bool has(ArgumentKind kind) const;
};

std::span<const FaultRow> fault_rows();                   // as they are listed
std::span<const std::string_view> fault_names();          // their words
const FaultRow* fault_row(std::string_view word);         // null if unknown
const FaultRow* fault_row(FaultName name);                // null if unknown
std::span<const Parameter> parameters_of(Spread spread);  // of delay, behind the spread's word

}  // namespace retrial::trace

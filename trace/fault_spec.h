#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace retrial::trace {

// What is done to one exchange, or to the connection before it. Plain data: policies choose it, proxy/faults carries it
// out, oracles read it. docs/faults.md says what each does to the wire, trace/faults.inc lists them, and
// trace/fault_name.h is for who names one.
enum class FaultName : std::uint8_t;

// The numbers of what follows stand in stored traces (trace/stored_fault.h): none ever becomes another's.

// How the client is told, of a lost response, or of a handshake that is cut (reset or close).
enum class Telling : std::uint8_t { reset = 0, close = 1, stall = 2, error = 3 };

// Where reset, close, stall and crash strike.
enum class Point : std::uint8_t {
  before_request = 0,       // its head was read, nothing forwarded, its body not read
  after_head = 1,           // the service hears the head alone; of a request without a body, all but the last CRLF
  after_request = 2,        // read whole, nothing forwarded
  after_response_head = 3,  // the client hears the head alone; of a response without a body, all but the last CRLF
  in_body = 4,              // of the response: half of it, or FaultSpec::bytes
  idle = 5,  // as before_request, but only on a connection that was used before: the stale pooled connection
  // Of crash alone:
  executed = 6,  // the service's whole answer was read, and nothing of it told
  answered = 7,  // the client has all of it
};

// How delay is spread, around FaultSpec::base.
enum class Spread : std::uint8_t {
  fixed = 0,    // delay says it
  uniform = 1,  // base is the least, width the most
  normal = 2,   // base is the mean, width the standard deviation; never below 0
  pareto = 3,   // base is the scale (the least), beside shape
};
enum class RetryAfter : std::uint8_t { none = 0, seconds = 1, date = 2 };  // RFC 9110 10.2.3
enum class Malformed : std::uint8_t { status_line = 0, header = 1, chunk = 2 };
// What the fault `message` does. truncate: half of it, under a prefix that tells all, and nothing of the body after it.
enum class OfMessage : std::uint8_t { delay = 0, drop = 1, truncate = 2, corrupt = 3 };

inline constexpr std::int64_t kNoPushback = INT64_MIN;
inline constexpr std::int64_t kHalf = -1;  // of FaultSpec::bytes and ::at: half of the body

struct FaultSpec {
  FaultName name{};                  // none
  Telling telling = Telling::reset;  // lost_response, tls_cut
  int status = 0;                    // that the client is told; 0, of an error: the profile's first transient code
  Nanos delay = 0;  // how long it waits, or each time; of a spread: 0, until it is drawn for an exchange
  Point point = Point::after_request;       // where it strikes: reset, close, stall, rst_stream
  Spread spread = Spread::fixed;            // of delay
  RetryAfter retry = RetryAfter::none;      // beside a status
  Malformed part = Malformed::status_line;  // malformed
  std::int32_t retry_after = 0;             // seconds, or seconds from now on
  Nanos base = 0;                           // of a spread
  Nanos width = 0;                          // of a spread
  std::int64_t shape = 0;                   // of a spread, in thousandths
  std::int64_t bytes = kHalf;               // that pass before it comes: in_body, truncate; drip: before each pause
  std::int64_t at = kHalf;                  // corrupt: which byte, from 0
  std::int64_t by =
      0;  // wrong_length: how many more (or, negative, fewer) are told than there are; grow, lengthen: how many times
  std::int64_t rate = 0;                    // bandwidth: bytes a second
  std::int64_t burst = 0;                   // bandwidth: bytes that may go at once
  std::uint32_t code = 0;                   // rst_stream, goaway: RFC 9113 7
  OfMessage of_message = OfMessage::delay;  // message
  std::int32_t nth = 1;                     // message: from 1
  // grpc-retry-pushback-ms of a status of gRPC; below 0: the client shall not retry (gRFC A6)
  std::int64_t pushback = kNoPushback;
  // drop, set, double: "Name" or "Name: value"; another_page: the member that tells of a next page; else empty
  std::string header;

  bool operator==(const FaultSpec&) const = default;
};

// The one spelling of a fault, which the fault language reads: "error(503)", "error(transient)" (status 0),
// "error(429, retry-after=2)", "lost-response(error(503))", "reset(in-body, 100)", "stall" (after-request), "pass",
// "grpc-status(UNAVAILABLE, pushback=200ms)", "rst-stream(refused-stream)" (before-request).
// A delay that was drawn is shown by its spread; what a gRPC call was told to wait, as its pushback.
std::string show(const FaultSpec& fault);
std::string_view word_of(FaultName name);  // empty for one that is not known
// The words of its arguments, by their numbers: all of them, and one (empty for a value beyond the last).
template <class E>
std::span<const std::string_view> words();
template <>
std::span<const std::string_view> words<Telling>();
template <>
std::span<const std::string_view> words<Point>();
template <>
std::span<const std::string_view> words<Spread>();
template <>
std::span<const std::string_view> words<Malformed>();
template <>
std::span<const std::string_view> words<OfMessage>();
template <class E>
  requires(!std::same_as<E, FaultName>)
std::string_view word_of(E value) {
  auto at = static_cast<std::size_t>(value);
  return at < words<E>().size() ? words<E>()[at] : std::string_view{};
}

// The error codes of RFC 9113 7 by name, in lower case with dashes, by their number from 0 (NO_ERROR) on.
std::span<const std::string_view> stream_codes();
std::string_view stream_code(std::uint32_t code);  // empty beyond the last
inline constexpr std::uint32_t kRefusedStream = 7;

// What a status of gRPC (`fault.status`) tells the client to wait before it retries (FaultSpec::pushback): its own, or
// what Retry-After says.
std::int64_t pushback_of(const FaultSpec& fault);

// What kind of fault it is, by its row in trace/faults.inc.
inline bool is_pass(const FaultSpec& fault) { return fault.name == FaultName{}; }
// Does the client learn nothing of whether the service executed it? Every lost response that is not told by a status,
// and a connection or stream that broke or fell silent before the response's head was whole; but not where it is told
// that nothing was executed (is_refusal).
bool is_loss(const FaultSpec& fault);
// Is the client told that nothing was executed? (goaway, REFUSED_STREAM: RFC 9113 6.8, 8.7)
bool is_refusal(const FaultSpec& fault);
// Does a break or a silence come before anything of the request is forwarded? Its client cannot know (is_loss).
bool comes_before_service(const FaultSpec& fault);
// Is the client told an error's status that is not the service's? (error, lost_response(error), late_status)
bool is_status(const FaultSpec& fault);
// Is it done to a connection, before any request? It has no exchange of its own: the next one of that process to that
// service carries it.
bool is_of_connection(const FaultSpec& fault);
// Does the service's own answer reach the client whole and unchanged, if late? (also: of a connection, none)
bool delivers(const FaultSpec& fault);
// Is nothing but time taken? (delay, slow-connect, bandwidth, drip, slow-trailers, message(delay))
bool is_slowness(const FaultSpec& fault);
// Does it end in silence that only the client or the run ends? (stall, lost-response(stall), connect-timeout,
// wrong-length that tells more than there is)
bool is_silence(const FaultSpec& fault);
// Is the client told of a failure as soon as it fires, by a status, RST, FIN or a frame?
bool fails_at_once(const FaultSpec& fault);
// Where the connection goes on after it: can what comes next on it not be told from what was left of its response?
bool leaves_rest(const FaultSpec& fault);
// Does it need responses that came before? (stale)
bool replays(const FaultSpec& fault);
// Is the process that sent the request ended by it? (crash)
bool ends_sender(const FaultSpec& fault);

// The same spec with `status` put where it was left to the profile (0).
FaultSpec with_status(FaultSpec fault, int status);

}  // namespace retrial::trace

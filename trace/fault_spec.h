#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace retrial::trace {

// What is done to one exchange, or to the connection before it. Plain data: policies choose it, proxy/faults carries it
// out, oracles read it. docs/faults.md says what each does to the wire.
enum class FaultName : std::uint8_t {
  none,             // pass
  error,            // error(status[, retry-after]): answered before the service hears of it; grpc-status(CODE)
  lost_response,    // the service executed, its whole response was read, the client is told otherwise
  reset,            // reset(point): RST
  close,            // close(point): FIN
  delay,            // delay(time): forwarded that much later
  stall,            // stall(point): silence
  refuse_connect,   // RST to the SYN: ECONNREFUSED
  connect_timeout,  // the connect is never answered: ETIMEDOUT
  slow_connect,     // slow-connect(time): answered that much later
  tls_refuse,       // the alert handshake_failure to the ClientHello
  tls_expired,      // a leaf whose time is over
  tls_wrong_name,   // a leaf for another name
  tls_cut,          // FIN or RST after the ServerHello
  bandwidth,        // bandwidth(rate[, burst]): a token bucket each way
  drip,             // drip(bytes, every): the response a few bytes at a time
  truncate,         // the response's body ends early, and its length says so too
  corrupt,          // one bit of the response's body is another
  wrong_length,     // wrong-length(by): Content-Length says more or less than there is
  drop_header,      // of the response
  set_header,
  double_header,
  malformed,      // malformed(part): a response that is no HTTP
  redirect_loop,  // redirect-loop(status): to the very same target
  stale,          // an earlier response to the same request, in place of the service's
  duplicate,      // the response comes twice
  // HTTP/2 and gRPC alone. grpc-status(CODE) is `error` with a status of gRPC (status.h), as Trailers-Only.
  rst_stream,     // rst-stream(code[, point]): RST_STREAM to the client
  goaway,         // GOAWAY whose last stream is the one before this: it was not executed, the others go on
  late_status,    // late-status(CODE): the service's head passes, then this status in place of the rest
  message,        // message(what, n[, ms]): done to the n-th message of the service
  slow_trailers,  // slow-trailers(ms): the service's trailers come that much later
};
inline constexpr FaultName kLastFault = FaultName::slow_trailers;

// How the client is told, of a lost response, or of a handshake that is cut (reset or close).
enum class Telling : std::uint8_t { reset, close, stall, error };

// Where reset, close and stall strike.
enum class Point : std::uint8_t {
  before_request,       // its head was read, nothing forwarded, its body not read
  after_head,           // the service hears the head alone; of a request without a body, all but the last CRLF
  after_request,        // read whole, nothing forwarded
  after_response_head,  // the client hears the head alone; of a response without a body, all but the last CRLF
  in_body,              // of the response: half of it, or FaultSpec::bytes
  idle,                 // as before_request, but only on a connection that was used before: the stale pooled connection
};

// How delay is spread. The two parameters are FaultSpec::base and ::width.
enum class Spread : std::uint8_t {
  fixed,    // neither
  uniform,  // least, most
  normal,   // mean, standard deviation; never below 0
  pareto,   // scale (the least), shape in thousandths
};
enum class RetryAfter : std::uint8_t { none, seconds, date };  // RFC 9110 10.2.3
enum class Malformed : std::uint8_t { status_line, header, chunk };
// What the fault `message` does. truncate: half of it, under a prefix that tells all, and nothing of the body after it.
enum class OfMessage : std::uint8_t { delay, drop, truncate, corrupt };

inline constexpr std::int64_t kNoPushback = INT64_MIN;
inline constexpr std::int64_t kHalf = -1;  // of FaultSpec::bytes: half of the body

struct FaultSpec {
  FaultName name = FaultName::none;
  Telling telling = Telling::reset;  // lost_response, tls_cut
  // error, and lost_response(error(status)), 0: the profile's first transient code; late_status; redirect_loop
  int status = 0;
  // delay: as chosen for this exchange, 0 while a spread is not drawn; slow_connect, slow_trailers, message(delay);
  // drip: the pause
  Nanos delay = 0;
  Point point = Point::after_request;       // reset, close, stall, rst_stream
  Spread spread = Spread::fixed;            // delay
  RetryAfter retry = RetryAfter::none;      // error, and lost_response(error(status))
  Malformed part = Malformed::status_line;  // malformed
  std::int32_t retry_after = 0;             // seconds, or seconds from now on
  Nanos base = 0;                           // delay, see Spread
  std::int64_t width = 0;
  // in_body, truncate: how many are passed; corrupt: which one (from 0); drip: at a time; bandwidth: a second;
  // wrong_length: how many more (or, negative, fewer) are told than there are
  std::int64_t bytes = kHalf;
  std::int64_t burst = 0;  // bandwidth: bytes that may go at once
  std::uint32_t code = 0;  // rst_stream, goaway: RFC 9113 7
  OfMessage of_message = OfMessage::delay;
  std::int32_t nth = 1;  // message: from 1
  // grpc-retry-pushback-ms of a status of gRPC; below 0: the client shall not retry (gRFC A6)
  std::int64_t pushback = kNoPushback;
  std::string header;  // drop, set, double: "Name" or "Name: value"; else empty

  bool operator==(const FaultSpec&) const = default;
};

// The one spelling of a fault, which the fault language reads: "error(503)", "error(transient)" (status 0),
// "error(429, retry-after=2)", "lost-response(error(503))", "reset(in-body, 100)", "stall" (after-request), "pass",
// "grpc-status(UNAVAILABLE, pushback=200ms)", "rst-stream(refused-stream)" (before-request).
// A delay that was drawn is shown by its spread; what a gRPC call was told to wait, as its pushback.
std::string show(const FaultSpec& fault);
// The words of its arguments. Empty for a value beyond the last.
std::string_view word_of(FaultName name);
std::string_view word_of(Telling telling);
std::string_view word_of(Point point);
std::string_view word_of(Spread spread);
std::string_view word_of(Malformed part);
std::string_view word_of(OfMessage what);

// The error codes of RFC 9113 7 by name, in lower case with dashes, by their number from 0 (NO_ERROR) on.
std::span<const std::string_view> stream_codes();
std::string_view stream_code(std::uint32_t code);  // empty beyond the last
inline constexpr std::uint32_t kRefusedStream = 7;

// What a status of gRPC (`fault.status`) tells the client to wait before it retries (FaultSpec::pushback): its own, or
// what Retry-After says.
std::int64_t pushback_of(const FaultSpec& fault);

// Does the client learn nothing of whether the service executed it? Every lost response that is not told by a status,
// and a connection or stream that broke or fell silent before the response's head was whole; but not where it is told
// that nothing was executed (goaway, REFUSED_STREAM: RFC 9113 6.8, 8.7).
bool is_loss(const FaultSpec& fault);
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

// The same spec with `status` put where it was left to the profile (0).
FaultSpec with_status(FaultSpec fault, int status);

}  // namespace retrial::trace

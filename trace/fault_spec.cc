#include "trace/fault_spec.h"

#include <fmt/format.h>

#include <array>

#include "trace/status.h"

namespace retrial::trace {
namespace {

template <std::size_t N, class E>
std::string_view word(const std::array<std::string_view, N>& words, E value) {
  auto at = static_cast<std::size_t>(value);
  return at < N ? words[at] : std::string_view{};
}
constexpr std::array<std::string_view, 31> kNames = {
    "pass",           "error",          "lost-response",   "reset",         "close",       "delay",
    "stall",          "refuse-connect", "connect-timeout", "slow-connect",  "tls-refuse",  "tls-expired",
    "tls-wrong-name", "tls-cut",        "bandwidth",       "drip",          "truncate",    "corrupt",
    "wrong-length",   "drop-header",    "set-header",      "double-header", "malformed",   "redirect-loop",
    "stale",          "duplicate",      "rst-stream",      "goaway",        "late-status", "message",
    "slow-trailers"};
static_assert(kNames.size() == static_cast<std::size_t>(kLastFault) + 1);
constexpr std::array<std::string_view, 4> kTellings = {"reset", "close", "stall", "error"};
constexpr std::array<std::string_view, 6> kPoints = {"before-request",      "after-head", "after-request",
                                                     "after-response-head", "in-body",    "idle"};
constexpr std::array<std::string_view, 4> kSpreads = {"fixed", "uniform", "normal", "pareto"};
constexpr std::array<std::string_view, 3> kParts = {"status-line", "header", "chunk"};
constexpr std::array<std::string_view, 4> kOfMessage = {"delay", "drop", "truncate", "corrupt"};
constexpr std::array<std::string_view, 14> kStreamCodes = {"no-error",
                                                           "protocol-error",
                                                           "internal-error",
                                                           "flow-control-error",
                                                           "settings-timeout",
                                                           "stream-closed",
                                                           "frame-size-error",
                                                           "refused-stream",
                                                           "cancel",
                                                           "compression-error",
                                                           "connect-error",
                                                           "enhance-your-calm",
                                                           "inadequate-security",
                                                           "http-1-1-required"};
static_assert(kStreamCodes[kRefusedStream] == "refused-stream");

std::string show_grpc_status(const FaultSpec& f) {
  auto pushback = pushback_of(f);
  auto status = show_status(f.status);
  if (pushback == kNoPushback) return fmt::format("grpc-status({})", status);
  if (pushback < 0) return fmt::format("grpc-status({}, pushback=never)", status);
  return fmt::format("grpc-status({}, pushback={}ms)", status, pushback);
}
std::string show_error(const FaultSpec& f) {
  if (is_grpc(f.status)) return show_grpc_status(f);
  auto status = f.status ? std::to_string(f.status) : std::string("transient");
  switch (f.retry) {
    case RetryAfter::none:
      break;
    case RetryAfter::seconds:
      return fmt::format("error({}, retry-after={})", status, f.retry_after);
    case RetryAfter::date:
      return fmt::format("error({}, retry-after=date+{})", status, f.retry_after);
  }
  return fmt::format("error({})", status);
}
std::string show_time(Nanos time) { return fmt::format("{}ms", time / kMillisecond); }
std::string show_delay(const FaultSpec& f) {
  switch (f.spread) {
    case Spread::fixed:
      break;
    case Spread::uniform:
    case Spread::normal:
      return fmt::format("delay({}, {}, {})", word_of(f.spread), show_time(f.base), show_time(f.width));
    case Spread::pareto:
      return fmt::format("delay(pareto, {}, {}.{:03})", show_time(f.base), f.width / 1000, f.width % 1000);
  }
  return fmt::format("delay({})", show_time(f.delay));
}
std::string show_at(const FaultSpec& f) {
  auto name = word_of(f.name);
  if (f.point == Point::in_body && f.bytes != kHalf) return fmt::format("{}(in-body, {})", name, f.bytes);
  if (f.name == FaultName::stall && f.point == Point::after_request) return "stall";
  return fmt::format("{}({})", name, word_of(f.point));
}
std::string show_rst_stream(const FaultSpec& f) {
  auto code = stream_code(f.code);
  if (f.point == Point::before_request) return fmt::format("rst-stream({})", code);
  if (f.point == Point::in_body && f.bytes != kHalf) return fmt::format("rst-stream({}, in-body, {})", code, f.bytes);
  return fmt::format("rst-stream({}, {})", code, word_of(f.point));
}
std::string show_message(const FaultSpec& f) {
  auto what = word_of(f.of_message);
  if (f.of_message == OfMessage::delay) return fmt::format("message({}, {}, {})", what, f.nth, show_time(f.delay));
  return f.nth == 1 ? fmt::format("message({})", what) : fmt::format("message({}, {})", what, f.nth);
}
// As the language reads it: a word as it is, anything else in quotes.
std::string show_text(std::string_view text) {
  bool plain = !text.empty();
  for (char c : text)
    plain &=
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  if (plain) return std::string(text);
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}
std::string show_header(const FaultSpec& f) {
  auto colon = f.header.find(": ");
  std::string_view header = f.header;
  if (colon == header.npos) return fmt::format("{}({})", word_of(f.name), show_text(header));
  return fmt::format("{}({}, {})", word_of(f.name), show_text(header.substr(0, colon)),
                     show_text(header.substr(colon + 2)));
}
}  // namespace

std::string_view word_of(FaultName name) { return word(kNames, name); }
std::string_view word_of(Telling telling) { return word(kTellings, telling); }
std::string_view word_of(Point point) { return word(kPoints, point); }
std::string_view word_of(Spread spread) { return word(kSpreads, spread); }
std::string_view word_of(Malformed part) { return word(kParts, part); }
std::string_view word_of(OfMessage what) { return word(kOfMessage, what); }
std::span<const std::string_view> stream_codes() { return kStreamCodes; }
std::string_view stream_code(std::uint32_t code) { return word(kStreamCodes, code); }

std::int64_t pushback_of(const FaultSpec& f) {
  if (f.pushback != kNoPushback || f.retry == RetryAfter::none) return f.pushback;
  return f.retry_after * std::int64_t{1000};
}

std::string show(const FaultSpec& f) {
  switch (f.name) {
    case FaultName::error:
      return show_error(f);
    case FaultName::lost_response:
      if (f.telling == Telling::error) return fmt::format("lost-response({})", show_error(f));
      return fmt::format("lost-response({})", word_of(f.telling));
    case FaultName::reset:
    case FaultName::close:
    case FaultName::stall:
      return show_at(f);
    case FaultName::delay:
      return show_delay(f);
    case FaultName::slow_connect:
      return fmt::format("slow-connect({})", show_time(f.delay));
    case FaultName::tls_cut:
      return fmt::format("tls-cut({})", word_of(f.telling));
    case FaultName::bandwidth:
      return f.burst == f.bytes ? fmt::format("bandwidth({})", f.bytes)
                                : fmt::format("bandwidth({}, {})", f.bytes, f.burst);
    case FaultName::drip:
      return fmt::format("drip({}, {})", f.bytes, show_time(f.delay));
    case FaultName::truncate:
    case FaultName::corrupt:
      return f.bytes == kHalf ? std::string(word_of(f.name)) : fmt::format("{}({})", word_of(f.name), f.bytes);
    case FaultName::wrong_length:
      return fmt::format("wrong-length({:+})", f.bytes);
    case FaultName::drop_header:
    case FaultName::set_header:
    case FaultName::double_header:
      return show_header(f);
    case FaultName::malformed:
      return fmt::format("malformed({})", word_of(f.part));
    case FaultName::redirect_loop:
      return fmt::format("redirect-loop({})", f.status);
    case FaultName::rst_stream:
      return show_rst_stream(f);
    case FaultName::goaway:
      return f.code == 0 ? "goaway" : fmt::format("goaway({})", stream_code(f.code));
    case FaultName::late_status:
      return fmt::format("late-status({})", show_status(f.status));
    case FaultName::message:
      return show_message(f);
    case FaultName::slow_trailers:
      return fmt::format("slow-trailers({})", show_time(f.delay));
    case FaultName::none:
    case FaultName::refuse_connect:
    case FaultName::connect_timeout:
    case FaultName::tls_refuse:
    case FaultName::tls_expired:
    case FaultName::tls_wrong_name:
    case FaultName::stale:
    case FaultName::duplicate:
      break;
  }
  return std::string(word_of(f.name));
}

bool is_status(const FaultSpec& f) {
  return f.name == FaultName::error || f.name == FaultName::late_status ||
         (f.name == FaultName::lost_response && f.telling == Telling::error);
}
bool is_loss(const FaultSpec& f) {
  auto before_response = [](Point point) { return point != Point::after_response_head && point != Point::in_body; };
  switch (f.name) {
    case FaultName::reset:
    case FaultName::close:
    case FaultName::stall:
      return before_response(f.point);
    case FaultName::rst_stream:
      return before_response(f.point) && f.code != kRefusedStream;
    case FaultName::lost_response:
      return f.telling != Telling::error;
    default:
      return false;
  }
}
bool is_of_connection(const FaultSpec& f) {
  return f.name >= FaultName::refuse_connect && f.name <= FaultName::tls_cut;
}
bool is_slowness(const FaultSpec& f) {
  return f.name == FaultName::delay || f.name == FaultName::slow_connect || f.name == FaultName::bandwidth ||
         f.name == FaultName::drip || f.name == FaultName::slow_trailers ||
         (f.name == FaultName::message && f.of_message == OfMessage::delay);
}
bool delivers(const FaultSpec& f) { return f.name == FaultName::none || is_slowness(f) || is_of_connection(f); }
bool is_silence(const FaultSpec& f) {
  return f.name == FaultName::stall || f.name == FaultName::connect_timeout ||
         (f.name == FaultName::lost_response && f.telling == Telling::stall) ||
         (f.name == FaultName::wrong_length && f.bytes > 0);
}
FaultSpec with_status(FaultSpec f, int status) {
  if (is_status(f) && f.status == 0) f.status = status;
  return f;
}

}  // namespace retrial::trace

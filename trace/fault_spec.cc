#include "trace/fault_spec.h"

#include <array>

#include "trace/fault_name.h"
#include "trace/fault_table.h"

namespace retrial::trace {
namespace {
constexpr std::array<std::string_view, 4> kTellings = {"reset", "close", "stall", "error"};
constexpr std::array<std::string_view, 8> kPoints = {
    "before-request", "after-head", "after-request", "after-response-head", "in-body", "idle", "executed", "answered"};
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

unsigned nature_of(const FaultSpec& f) {
  auto* row = fault_row(f.name);
  return row ? row->nature(f) : 0;
}
}  // namespace

template <>
std::span<const std::string_view> words<Telling>() {
  return kTellings;
}
template <>
std::span<const std::string_view> words<Point>() {
  return kPoints;
}
template <>
std::span<const std::string_view> words<Spread>() {
  return kSpreads;
}
template <>
std::span<const std::string_view> words<Malformed>() {
  return kParts;
}
template <>
std::span<const std::string_view> words<OfMessage>() {
  return kOfMessage;
}
std::string_view word_of(FaultName name) {
  auto* row = fault_row(name);
  return row ? row->word : std::string_view{};
}
std::span<const std::string_view> stream_codes() { return kStreamCodes; }
std::string_view stream_code(std::uint32_t code) {
  return code < kStreamCodes.size() ? kStreamCodes[code] : std::string_view{};
}

std::int64_t pushback_of(const FaultSpec& f) {
  if (f.pushback != kNoPushback || f.retry == RetryAfter::none) return f.pushback;
  return f.retry_after * std::int64_t{1000};
}

std::string show(const FaultSpec& f) {
  auto* row = fault_row(f.name);
  return row ? row->shown(f) : std::string{};
}

bool is_status(const FaultSpec& f) { return nature_of(f) & kTellsStatus; }
bool is_loss(const FaultSpec& f) { return nature_of(f) & kLoses; }
bool is_refusal(const FaultSpec& f) { return nature_of(f) & kRefuses; }
bool comes_before_service(const FaultSpec& f) {
  bool unheard = f.point == Point::before_request || f.point == Point::after_request || f.point == Point::idle;
  return unheard && (f.name == FaultName::reset || f.name == FaultName::close || f.name == FaultName::stall ||
                     f.name == FaultName::rst_stream);
}
bool is_of_connection(const FaultSpec& f) {
  auto* row = fault_row(f.name);
  return row && row->of_connection;
}
bool is_slowness(const FaultSpec& f) { return nature_of(f) & kTakesTime; }
bool delivers(const FaultSpec& f) { return is_pass(f) || is_slowness(f) || is_of_connection(f); }
bool is_silence(const FaultSpec& f) { return nature_of(f) & kIsSilence; }
bool fails_at_once(const FaultSpec& f) { return nature_of(f) & (kTellsStatus | kBreaks); }
bool leaves_rest(const FaultSpec& f) { return nature_of(f) & kLeavesRest; }
bool replays(const FaultSpec& f) { return nature_of(f) & kReplays; }
bool ends_sender(const FaultSpec& f) { return nature_of(f) & kEndsSender; }
FaultSpec with_status(FaultSpec f, int status) {
  if (is_status(f) && f.status == 0) f.status = status;
  return f;
}

}  // namespace retrial::trace

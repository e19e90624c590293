#include "trace/fault_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "trace/fault_name.h"
#include "trace/status.h"
#include "trace/stored_fault.h"

namespace retrial::trace {
namespace {
using Kind = ArgumentKind;

// --- what a fault may be given -------------------------------------------------------------------------------------

constexpr std::string_view kStatus = "a status from 400 to 599, or transient";
constexpr std::string_view kDuration = "a time in whole milliseconds, such as 200ms";
constexpr std::string_view kBytes = "a number of bytes, such as 100 or 64k";
constexpr std::string_view kRate = "bytes a second, such as 1000 or 64k";
constexpr std::string_view kName = "a header's name";
constexpr std::string_view kFramesNothing = "the name of a header that frames nothing (see wrong-length)";
constexpr std::string_view kSpread = "a time in whole milliseconds, such as 200ms, or uniform, normal or pareto";
constexpr std::string_view kGrpcCode = "a gRPC status other than OK, in upper case, such as UNAVAILABLE";
constexpr std::string_view kStreamCode = "an error code of HTTP/2, such as refused-stream or cancel";
constexpr std::string_view kPoint = "before-request, after-head, after-request, after-response-head, in-body or idle";
constexpr std::string_view kMoment = "before-request, executed or answered";
constexpr std::string_view kValue = "a header's value, in quotes where it is more than a word";

constexpr std::span<const Parameter> kNothing;
constexpr Parameter kError[] = {{"status", Kind::status, kStatus},
                                {"retry-after", Kind::retry_after, "seconds, or date+SECONDS", false}};
constexpr Parameter kGrpcStatusParameters[] = {
    {"code", Kind::grpc_status, kGrpcCode},
    {"pushback", Kind::pushback, "a time in whole milliseconds, such as 200ms, or never", false}};
constexpr Parameter kLostResponse[] = {
    {"telling", Kind::telling, "reset, close, stall, error(STATUS) or grpc-status(CODE)"}};
constexpr Parameter kStrike[] = {{"when", Kind::point, kPoint, false, "after-request"},
                                 {"bytes", Kind::bytes, kBytes, false}};
constexpr Parameter kDelay[] = {{"ms", Kind::spread, kSpread}};
constexpr Parameter kUniform[] = {{"from", Kind::base, kDuration}, {"to", Kind::width, kDuration}};
constexpr Parameter kNormal[] = {{"mean", Kind::base, kDuration}, {"deviation", Kind::width, kDuration}};
constexpr Parameter kPareto[] = {{"scale", Kind::base, kDuration},
                                 {"shape", Kind::shape, "a number from 0.1 to 100, such as 1.5"}};
constexpr Parameter kTime[] = {{"ms", Kind::time, kDuration}};
constexpr Parameter kTlsCut[] = {{"how", Kind::cut, "reset or close", false, "close"}};
constexpr Parameter kBandwidth[] = {{"rate", Kind::rate, kRate}, {"burst", Kind::burst, kBytes, false}};
constexpr Parameter kDrip[] = {{"bytes", Kind::piece, kBytes}, {"every", Kind::time, kDuration}};
constexpr Parameter kTruncate[] = {{"bytes", Kind::bytes, kBytes, false}};
constexpr Parameter kCorrupt[] = {{"at", Kind::at, kBytes, false}};
constexpr Parameter kWrongLength[] = {{"by", Kind::by, "a number of bytes with its sign, such as +1 or -1"}};
constexpr Parameter kDropHeader[] = {{"name", Kind::name, kName}};
constexpr Parameter kSetHeader[] = {{"name", Kind::set_name, kFramesNothing}, {"value", Kind::value, kValue}};
constexpr Parameter kDoubleHeader[] = {{"name", Kind::name, kName}, {"value", Kind::value, kValue, false}};
constexpr Parameter kMalformed[] = {{"part", Kind::part, "status-line, header or chunk", false, "status-line"}};
constexpr Parameter kRedirect[] = {{"status", Kind::redirect, "301, 302, 303, 307 or 308", false, "307"}};
constexpr Parameter kRstStream[] = {{"code", Kind::stream_code, kStreamCode, false, "refused-stream"},
                                    {"when", Kind::point, kPoint, false, "before-request"},
                                    {"bytes", Kind::bytes, kBytes, false}};
constexpr Parameter kGoaway[] = {{"code", Kind::stream_code, kStreamCode, false, "no-error"}};
constexpr Parameter kLateStatus[] = {{"code", Kind::grpc_status, kGrpcCode}};
constexpr Parameter kMessage[] = {{"what", Kind::of_message, "delay, drop, truncate or corrupt"},
                                  {"n", Kind::nth, "which message, from 1 on (or ms=TIME)", false, "1"},
                                  {"ms", Kind::time, kDuration, false}};
constexpr Parameter kGrow[] = {{"times", Kind::times, "how many times as long, from 2 to 1000000"}};
constexpr Parameter kAnotherPage[] = {{"member", Kind::member, "the member that tells of a next page", false}};
constexpr Parameter kCrash[] = {{"when", Kind::moment, kMoment, false, "before-request"}};

// --- how it is shown -----------------------------------------------------------------------------------------------

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
      return fmt::format("delay(pareto, {}, {}.{:03})", show_time(f.base), f.shape / 1000, f.shape % 1000);
  }
  return fmt::format("delay({})", show_time(f.delay));
}
std::string as_word(const FaultSpec& f) { return std::string(word_of(f.name)); }
std::string as_word(const FaultSpec& f, std::string_view argument) {
  return fmt::format("{}({})", word_of(f.name), argument);
}
std::string show_lost_response(const FaultSpec& f) {
  return as_word(f, f.telling == Telling::error ? show_error(f) : word_of(f.telling));
}
std::string show_strike(const FaultSpec& f) {
  if (f.point == Point::in_body && f.bytes != kHalf) return as_word(f, fmt::format("in-body, {}", f.bytes));
  return as_word(f, word_of(f.point));
}
std::string show_crash(const FaultSpec& f) {
  bool later = f.point == Point::executed || f.point == Point::answered;
  return as_word(f, word_of(later ? f.point : Point::before_request));
}
std::string show_stall(const FaultSpec& f) { return f.point == Point::after_request ? as_word(f) : show_strike(f); }
std::string show_time_alone(const FaultSpec& f) { return as_word(f, show_time(f.delay)); }
std::string show_tls_cut(const FaultSpec& f) { return as_word(f, word_of(f.telling)); }
std::string show_bandwidth(const FaultSpec& f) {
  return as_word(f, f.burst == f.rate ? fmt::format("{}", f.rate) : fmt::format("{}, {}", f.rate, f.burst));
}
std::string show_drip(const FaultSpec& f) { return as_word(f, fmt::format("{}, {}", f.bytes, show_time(f.delay))); }
std::string show_truncate(const FaultSpec& f) {
  return f.bytes == kHalf ? as_word(f) : as_word(f, std::to_string(f.bytes));
}
std::string show_corrupt(const FaultSpec& f) { return f.at == kHalf ? as_word(f) : as_word(f, std::to_string(f.at)); }
std::string show_wrong_length(const FaultSpec& f) { return as_word(f, fmt::format("{:+}", f.by)); }
std::string show_grow(const FaultSpec& f) { return as_word(f, std::to_string(f.by)); }
std::string show_malformed(const FaultSpec& f) { return as_word(f, word_of(f.part)); }
std::string show_redirect(const FaultSpec& f) { return as_word(f, std::to_string(f.status)); }
std::string show_goaway(const FaultSpec& f) { return f.code == 0 ? as_word(f) : as_word(f, stream_code(f.code)); }
std::string show_late_status(const FaultSpec& f) { return as_word(f, show_status(f.status)); }
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
  if (f.header.empty()) return as_word(f);
  auto colon = f.header.find(": ");
  std::string_view header = f.header;
  if (colon == header.npos) return fmt::format("{}({})", word_of(f.name), show_text(header));
  return fmt::format("{}({}, {})", word_of(f.name), show_text(header.substr(0, colon)),
                     show_text(header.substr(colon + 2)));
}

// --- what it does --------------------------------------------------------------------------------------------------

template <unsigned nature>
unsigned always(const FaultSpec&) {
  return nature;
}
unsigned before_response(const FaultSpec& f, unsigned nature) {
  return f.point != Point::after_response_head && f.point != Point::in_body ? nature : 0;
}
unsigned broken(const FaultSpec& f) { return kBreaks | before_response(f, kLoses); }
unsigned silent(const FaultSpec& f) { return kIsSilence | kLeavesRest | before_response(f, kLoses); }
unsigned lost_response(const FaultSpec& f) {
  switch (f.telling) {
    case Telling::reset:
    case Telling::close:
      return kLoses | kBreaks | kLeavesRest;
    case Telling::stall:
      return kLoses | kIsSilence | kLeavesRest;
    case Telling::error:
      return kTellsStatus;
  }
  return 0;
}
unsigned wrong_length(const FaultSpec& f) { return f.by > 0 ? kIsSilence | kLeavesRest : kLeavesRest; }
unsigned rst_stream(const FaultSpec& f) {
  return kBreaks | (f.code == kRefusedStream ? kRefuses : before_response(f, kLoses));
}
unsigned message(const FaultSpec& f) { return f.of_message == OfMessage::delay ? kTakesTime : 0; }

// -------------------------------------------------------------------------------------------------------------------

constexpr FaultRow kRows[] = {
#define NO_FAULT(name, number, word, parameters, shown, nature) \
  {FaultName::name, word, parameters, false, shown, nature},
#define FAULT(name, number, word, parameters, shown, nature) {FaultName::name, word, parameters, false, shown, nature},
#define CONNECTION_FAULT(name, number, word, parameters, shown, nature) \
  {FaultName::name, word, parameters, true, shown, nature},
#define SPELLING(name, word, parameters) {FaultName::name, word, parameters},
#include "trace/faults.inc"
};

// Where each number's row stands.
constexpr std::size_t kFaults = std::ranges::count_if(kRows, [](auto& row) { return row.shown != nullptr; });
constexpr auto kPlaces = [] {
  std::array<std::uint8_t, kFaults> places{};
  places.fill(0xff);
  for (std::size_t i = 0; i < std::size(kRows); i++)
    if (kRows[i].shown) places.at(static_cast<std::size_t>(kRows[i].fault)) = static_cast<std::uint8_t>(i);
  return places;
}();
static_assert(std::ranges::count(kPlaces, 0xff) == 0, "a number of trace/faults.inc is left out or stands there twice");
// What old traces hold.
static_assert(stored_as(FaultName::none, 0) && stored_as(FaultName::error, 1) && stored_as(FaultName::delay, 5) &&
              stored_as(FaultName::tls_cut, 13) && stored_as(FaultName::malformed, 22) &&
              stored_as(FaultName::duplicate, 25) && stored_as(FaultName::slow_trailers, 30) &&
              stored_as(FaultName::crash, 31) && stored_as(FaultName::grow, 32) &&
              stored_as(FaultName::another_page, 33) && stored_as(FaultName::lengthen, 34));
}  // namespace

bool FaultRow::has(ArgumentKind kind) const {
  return std::ranges::any_of(parameters, [&](auto& parameter) { return parameter.kind == kind; });
}

std::span<const FaultRow> fault_rows() { return kRows; }

std::span<const std::string_view> fault_names() {
  static const auto names = [] {
    std::array<std::string_view, std::size(kRows)> all;
    for (std::size_t i = 0; i < all.size(); i++) all[i] = kRows[i].word;
    return all;
  }();
  return names;
}

const FaultRow* fault_row(std::string_view word) {
  for (auto& row : kRows)
    if (row.word == word) return &row;
  return nullptr;
}
const FaultRow* fault_row(FaultName name) {
  auto number = static_cast<std::size_t>(name);
  return number < kFaults ? &kRows[kPlaces[number]] : nullptr;
}

std::span<const Parameter> parameters_of(Spread spread) {
  switch (spread) {
    case Spread::fixed:
      return kTime;
    case Spread::uniform:
      return kUniform;
    case Spread::normal:
      return kNormal;
    case Spread::pareto:
      return kPareto;
  }
  return {};
}

FaultName last_fault() { return static_cast<FaultName>(kFaults - 1); }

std::int64_t FaultSpec::* stored_bytes(FaultName name) {
  auto* row = fault_row(name);
  for (auto& parameter : row ? row->parameters : std::span<const Parameter>{}) {
    if (parameter.kind == Kind::at) return &FaultSpec::at;
    if (parameter.kind == Kind::by || parameter.kind == Kind::times) return &FaultSpec::by;
    if (parameter.kind == Kind::rate) return &FaultSpec::rate;
  }
  return &FaultSpec::bytes;
}

}  // namespace retrial::trace

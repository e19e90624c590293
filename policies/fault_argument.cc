#include "policies/fault_argument.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "trace/status.h"

namespace retrial::policies {
namespace {
using trace::FaultSpec;
using Kind = trace::ArgumentKind;

constexpr std::int64_t kMostBytes = 1'000'000'000'000;
constexpr std::int64_t kMostRetryAfter = 10 * 365 * 24 * 3600;

constexpr std::string_view kTellingWords[] = {"reset", "close", "stall", "error", "grpc-status"};
constexpr std::string_view kNever[] = {"never"};
constexpr std::int32_t kMostMessages = 1'000'000'000;
constexpr std::int64_t kMostTimes = 1'000'000;
constexpr std::string_view kCuts[] = {"reset", "close"};
constexpr std::string_view kStatuses[] = {"transient"};
constexpr std::string_view kDates[] = {"date"};
constexpr std::int64_t kRedirects[] = {301, 302, 303, 307, 308};

// Where a connection is struck, and when a process may end: both are points.
std::span<const std::string_view> points() {
  return trace::words<trace::Point>().first(static_cast<std::size_t>(trace::Point::idle) + 1);
}
constexpr std::string_view kMoments[] = {"before-request", "executed", "answered"};

// By its place among the words, which is its number.
template <class E>
bool word(std::span<const std::string_view> words, std::string_view text, E& to) {
  auto at = std::find(words.begin(), words.end(), text);
  if (at == words.end()) return false;
  to = static_cast<E>(at - words.begin());
  return true;
}
template <class E>
bool word(std::string_view text, E& to) {
  return word(trace::words<E>(), text, to);
}
template <class N>
bool number(std::string_view text, std::int64_t least, std::int64_t most, N& to) {
  auto n = to_int(text);
  if (!n || *n < least || *n > most) return false;
  to = static_cast<N>(*n);
  return true;
}
bool bytes(std::string_view text, std::int64_t least, std::int64_t& to) {
  std::int64_t unit = 1;
  if (text.ends_with('k')) unit = 1000;
  if (text.ends_with('M')) unit = 1'000'000;
  if (unit > 1) text.remove_suffix(1);
  if (text.empty() || text[0] < '0' || text[0] > '9' || !number(text, 0, kMostBytes / unit, to)) return false;
  to *= unit;
  return to >= least;
}
bool time(std::string_view text, Nanos& to) {
  auto read = read_time(text, kLongestDelay);
  if (read) to = *read;
  return read.has_value();
}
// Millionths or thousandths: a decimal number with at most `digits` behind the point.
std::optional<std::int64_t> decimal(std::string_view text, int digits) {
  auto point = text.find('.');
  auto whole = text.substr(0, point);
  auto part = point == text.npos ? std::string_view() : text.substr(point + 1);
  auto plain = [](std::string_view t) { return t.find_first_not_of("0123456789") == t.npos; };
  if (whole.empty() || whole.size() > 9 || !plain(whole) || !plain(part)) return {};
  if (point != text.npos && (part.empty() || part.size() > static_cast<std::size_t>(digits))) return {};
  std::int64_t value = 0;
  for (char c : whole) value = value * 10 + (c - '0');
  for (int i = 0; i < digits; i++)
    value = value * 10 + (static_cast<std::size_t>(i) < part.size() ? part[static_cast<std::size_t>(i)] - '0' : 0);
  return value;
}
std::span<const std::string_view> grpc_codes() {
  static const auto codes = [] {
    std::array<std::string, trace::grpc_code::unauthenticated> all;
    for (int i = 0; auto& code : all) code = trace::show_status(trace::kGrpcStatus + ++i);
    return all;
  }();
  static const std::vector<std::string_view> views(codes.begin(), codes.end());
  return views;
}
bool grpc_status(std::string_view text, int& to) {
  auto status = trace::grpc_status_named(text);
  if (status) to = *status;
  return status.has_value();
}
bool pushback(std::string_view text, std::int64_t& to) {
  Nanos wait = 0;
  if (text == kNever[0])
    to = -1;
  else if (time(text, wait))
    to = wait / kMillisecond;
  else
    return false;
  return true;
}
bool is_token(char c) {  // RFC 9110 5.6.2
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}
std::string unquoted(std::string_view text) {
  if (text.size() < 2 || text.front() != '"') return std::string(text);
  std::string out;
  for (std::size_t i = 1; i + 1 < text.size(); i++) {
    if (text[i] == '\\' && i + 2 < text.size()) i++;
    out += text[i];
  }
  return out;
}
bool header_name(std::string_view text, std::string& to) {
  auto name = unquoted(text);
  if (name.empty() || !std::all_of(name.begin(), name.end(), is_token)) return false;
  to = std::move(name);
  return true;
}
// What frames the message is changed by wrong-length and malformed, which say how that ends.
bool frames(std::string_view name) { return iequals(name, "content-length") || iequals(name, "transfer-encoding"); }
bool header_value(std::string_view text, FaultSpec& spec) {
  if (spec.header.empty() || text.empty() || (text.size() == 1 && !is_token(text[0]))) return false;
  auto value = unquoted(text);
  auto plain = [](char c) { return c == '\t' || (static_cast<unsigned char>(c) >= ' ' && c != 127); };
  if (!std::all_of(value.begin(), value.end(), plain)) return false;
  spec.header += ": ";
  spec.header += value;
  return true;
}
}  // namespace

FaultSpec empty_fault(const trace::FaultRow& row) {
  FaultSpec spec{.name = row.fault};
  for (auto& parameter : row.parameters)
    if (!parameter.left_out.empty()) read_argument(parameter.kind, parameter.left_out, spec);
  return spec;
}

std::optional<trace::Spread> read_spread(std::string_view text) {
  trace::Spread spread{};
  if (!word(text, spread)) return {};
  return spread;
}

std::optional<Nanos> read_time(std::string_view text, Nanos longest) {
  auto number = to_int(text);
  if (number) {
    if (*number < 0 || *number > longest / kMillisecond) return {};
    return *number * kMillisecond;
  }
  auto nanos = parse_duration(text);
  if (!nanos || *nanos < 0 || *nanos > longest) return {};
  auto whole = (*nanos + kMillisecond / 2) / kMillisecond * kMillisecond;
  if (std::abs(whole - *nanos) > 1000) return {};
  return whole;
}

std::optional<Share> read_share(std::string_view text) {
  auto share = decimal(text, 6);
  if (!share || *share < 1 || *share > kAlways) return {};
  return static_cast<Share>(*share);
}

bool read_argument(Kind kind, std::string_view text, FaultSpec& spec) {
  switch (kind) {
    case Kind::status:
      spec.status = 0;
      return text == kStatuses[0] || number(text, 400, 599, spec.status);
    case Kind::retry_after:
      if (spec.retry == trace::RetryAfter::none) spec.retry = trace::RetryAfter::seconds;
      return number(text, 0, kMostRetryAfter, spec.retry_after);
    case Kind::telling:
      return word(text, spec.telling);
    case Kind::cut:
      return word(kCuts, text, spec.telling);
    case Kind::point:
      return word(points(), text, spec.point);
    case Kind::moment:
      return std::ranges::find(kMoments, text) != std::end(kMoments) && word(text, spec.point);
    case Kind::part:
      return word(text, spec.part);
    case Kind::redirect:
      return number(text, 301, 308, spec.status) &&
             std::find(std::begin(kRedirects), std::end(kRedirects), spec.status) != std::end(kRedirects);
    case Kind::spread:
    case Kind::time:
      return time(text, spec.delay);
    case Kind::base:
      return time(text, spec.base);
    case Kind::width:
      return time(text, spec.width);
    case Kind::shape: {
      auto shape = decimal(text, 3);
      if (!shape || *shape < 100 || *shape > 100'000) return false;
      spec.shape = *shape;
      return true;
    }
    case Kind::bytes:
      return bytes(text, 0, spec.bytes);
    case Kind::piece:
      return bytes(text, 1, spec.bytes);
    case Kind::at:
      return bytes(text, 0, spec.at);
    case Kind::rate:
      if (!bytes(text, 1, spec.rate)) return false;
      if (spec.burst == 0) spec.burst = spec.rate;
      return true;
    case Kind::burst:
      return bytes(text, 1, spec.burst);
    case Kind::by:
      return number(text, -kMostBytes, kMostBytes, spec.by) && spec.by != 0;
    case Kind::name:
      return header_name(text, spec.header);
    case Kind::set_name:
      return header_name(text, spec.header) && !frames(spec.header);
    case Kind::value:
      return header_value(text, spec);
    case Kind::grpc_status:
      return grpc_status(text, spec.status);
    case Kind::pushback:
      return pushback(text, spec.pushback);
    case Kind::stream_code:
      return word(trace::stream_codes(), text, spec.code);
    case Kind::of_message:
      return word(text, spec.of_message);
    case Kind::nth:
      return number(text, 1, kMostMessages, spec.nth);
    case Kind::times:
      return number(text, 2, kMostTimes, spec.by);
    case Kind::member:
      spec.header = unquoted(text);
      return !spec.header.empty() && !spec.header.contains(": ");
  }
  return false;
}

std::span<const std::string_view> words_of(Kind kind) {
  switch (kind) {
    case Kind::status:
      return kStatuses;
    case Kind::retry_after:
      return kDates;
    case Kind::telling:
      return kTellingWords;
    case Kind::cut:
      return kCuts;
    case Kind::point:
      return points();
    case Kind::moment:
      return kMoments;
    case Kind::part:
      return trace::words<trace::Malformed>();
    case Kind::spread:
      return trace::words<trace::Spread>();
    case Kind::grpc_status:
      return grpc_codes();
    case Kind::pushback:
      return kNever;
    case Kind::stream_code:
      return trace::stream_codes();
    case Kind::of_message:
      return trace::words<trace::OfMessage>();
    default:
      return {};
  }
}

std::string_view contradiction(const FaultSpec& spec) {
  auto& row = *trace::fault_row(spec.name);
  if (row.has(Kind::point) && spec.bytes != trace::kHalf && spec.point != trace::Point::in_body)
    return "bytes with in-body alone";
  if (spec.spread == trace::Spread::uniform && spec.base > spec.width)
    return "the longest time not to be shorter than the shortest";
  // REFUSED_STREAM promises that the service has done nothing (RFC 9113 8.7).
  bool heard = spec.point != trace::Point::before_request && spec.point != trace::Point::after_request &&
               spec.point != trace::Point::idle;
  if (row.has(Kind::point) && row.has(Kind::stream_code) && spec.code == trace::kRefusedStream && heard)
    return "refused-stream with before-request, after-request or idle alone";
  if (row.has(Kind::of_message)) {
    bool delays = spec.of_message == trace::OfMessage::delay;
    if (delays && spec.delay == 0) return "ms, how long the message is delayed";
    if (!delays && spec.delay != 0) return "ms with delay alone";
  }
  return {};
}

}  // namespace retrial::policies

#include "policies/fault_words.h"

#include <array>

namespace retrial::policies {
namespace {
using trace::FaultName;
using trace::Spread;

constexpr std::string_view kStatus = "a status from 400 to 599, or transient";
constexpr std::string_view kTime = "a time in whole milliseconds, such as 200ms";
constexpr std::string_view kBytes = "a number of bytes, such as 100 or 64k";
constexpr std::string_view kRate = "bytes a second, such as 1000 or 64k";
constexpr std::string_view kName = "a header's name";
constexpr std::string_view kFramesNothing = "the name of a header that frames nothing (see wrong-length)";
constexpr std::string_view kSpread = "a time in whole milliseconds, such as 200ms, or uniform, normal or pareto";
constexpr std::string_view kGrpcCode = "a gRPC status other than OK, in upper case, such as UNAVAILABLE";
constexpr std::string_view kStreamCode = "an error code of HTTP/2, such as refused-stream or cancel";
constexpr std::string_view kPoint = "before-request, after-head, after-request, after-response-head, in-body or idle";
constexpr std::string_view kValue = "a header's value, in quotes where it is more than a word";

constexpr Parameter kErrorArguments[] = {{"status", Kind::status, kStatus},
                                         {"retry-after", Kind::retry_after, "seconds, or date+SECONDS", false}};
constexpr Parameter kGrpcArguments[] = {
    {"code", Kind::grpc_status, kGrpcCode},
    {"pushback", Kind::pushback, "a time in whole milliseconds, such as 200ms, or never", false}};
constexpr Parameter kLostArguments[] = {
    {"telling", Kind::telling, "reset, close, stall, error(STATUS) or grpc-status(CODE)"}};
constexpr Parameter kPointArguments[] = {{"when", Kind::point, kPoint, false}, {"bytes", Kind::bytes, kBytes, false}};
constexpr Parameter kDelayArguments[] = {{"ms", Kind::spread, kSpread}};
constexpr Parameter kUniform[] = {{"from", Kind::base, kTime}, {"to", Kind::width, kTime}};
constexpr Parameter kNormal[] = {{"mean", Kind::base, kTime}, {"deviation", Kind::width, kTime}};
constexpr Parameter kPareto[] = {{"scale", Kind::base, kTime},
                                 {"shape", Kind::shape, "a number from 0.1 to 100, such as 1.5"}};
constexpr Parameter kTimeArguments[] = {{"ms", Kind::time, kTime}};
constexpr Parameter kCutArguments[] = {{"how", Kind::cut, "reset or close", false}};
constexpr Parameter kRateArguments[] = {{"rate", Kind::rate, kRate}, {"burst", Kind::burst, kBytes, false}};
constexpr Parameter kDripArguments[] = {{"bytes", Kind::bytes, kBytes}, {"every", Kind::time, kTime}};
constexpr Parameter kBytesArguments[] = {{"bytes", Kind::bytes, kBytes, false}};
constexpr Parameter kAtArguments[] = {{"at", Kind::bytes, kBytes, false}};
constexpr Parameter kByArguments[] = {{"by", Kind::by, "a number of bytes with its sign, such as +1 or -1"}};
constexpr Parameter kNameArguments[] = {{"name", Kind::name, kName}};
constexpr Parameter kSetArguments[] = {{"name", Kind::name, kFramesNothing}, {"value", Kind::value, kValue}};
constexpr Parameter kDoubleArguments[] = {{"name", Kind::name, kName}, {"value", Kind::value, kValue, false}};
constexpr Parameter kPartArguments[] = {{"part", Kind::part, "status-line, header or chunk", false}};
constexpr Parameter kRedirectArguments[] = {{"status", Kind::redirect, "301, 302, 303, 307 or 308", false}};
constexpr Parameter kRstStreamArguments[] = {{"code", Kind::stream_code, kStreamCode, false},
                                             {"when", Kind::point, kPoint, false},
                                             {"bytes", Kind::bytes, kBytes, false}};
constexpr Parameter kGoawayArguments[] = {{"code", Kind::stream_code, kStreamCode, false}};
constexpr Parameter kCodeArguments[] = {{"code", Kind::grpc_status, kGrpcCode}};
constexpr Parameter kMessageArguments[] = {{"what", Kind::of_message, "delay, drop, truncate or corrupt"},
                                           {"n", Kind::nth, "which message, from 1 on (or ms=TIME)", false},
                                           {"ms", Kind::time, kTime, false}};

// In FaultName's order, and each beside those of its name.
constexpr std::array kFaults = {
    FaultWord{"pass", FaultName::none, {}},
    FaultWord{"error", FaultName::error, kErrorArguments},
    FaultWord{"grpc-status", FaultName::error, kGrpcArguments},
    FaultWord{"lost-response", FaultName::lost_response, kLostArguments},
    FaultWord{"reset", FaultName::reset, kPointArguments},
    FaultWord{"close", FaultName::close, kPointArguments},
    FaultWord{"delay", FaultName::delay, kDelayArguments},
    FaultWord{"stall", FaultName::stall, kPointArguments},
    FaultWord{"refuse-connect", FaultName::refuse_connect, {}},
    FaultWord{"connect-timeout", FaultName::connect_timeout, {}},
    FaultWord{"slow-connect", FaultName::slow_connect, kTimeArguments},
    FaultWord{"tls-refuse", FaultName::tls_refuse, {}},
    FaultWord{"tls-expired", FaultName::tls_expired, {}},
    FaultWord{"tls-wrong-name", FaultName::tls_wrong_name, {}},
    FaultWord{"tls-cut", FaultName::tls_cut, kCutArguments},
    FaultWord{"bandwidth", FaultName::bandwidth, kRateArguments},
    FaultWord{"drip", FaultName::drip, kDripArguments},
    FaultWord{"truncate", FaultName::truncate, kBytesArguments},
    FaultWord{"corrupt", FaultName::corrupt, kAtArguments},
    FaultWord{"wrong-length", FaultName::wrong_length, kByArguments},
    FaultWord{"drop-header", FaultName::drop_header, kNameArguments},
    FaultWord{"set-header", FaultName::set_header, kSetArguments},
    FaultWord{"double-header", FaultName::double_header, kDoubleArguments},
    FaultWord{"malformed", FaultName::malformed, kPartArguments},
    FaultWord{"redirect-loop", FaultName::redirect_loop, kRedirectArguments},
    FaultWord{"stale", FaultName::stale, {}},
    FaultWord{"duplicate", FaultName::duplicate, {}},
    FaultWord{"rst-stream", FaultName::rst_stream, kRstStreamArguments},
    FaultWord{"goaway", FaultName::goaway, kGoawayArguments},
    FaultWord{"late-status", FaultName::late_status, kCodeArguments},
    FaultWord{"message", FaultName::message, kMessageArguments},
    FaultWord{"slow-trailers", FaultName::slow_trailers, kTimeArguments},
};
static_assert(kFaults.size() == static_cast<std::size_t>(trace::kLastFault) + 2);
}  // namespace

std::span<const std::string_view> fault_words() {
  static const auto words = [] {
    std::array<std::string_view, kFaults.size()> all;
    for (std::size_t i = 0; i < all.size(); i++) all[i] = kFaults[i].word;
    return all;
  }();
  return words;
}

const FaultWord* fault_word(std::string_view word) {
  for (auto& fault : kFaults)
    if (fault.word == word) return &fault;
  return nullptr;
}

std::span<const Parameter> parameters_of(Spread spread) {
  switch (spread) {
    case Spread::fixed:
      return kTimeArguments;
    case Spread::uniform:
      return kUniform;
    case Spread::normal:
      return kNormal;
    case Spread::pareto:
      return kPareto;
  }
  return {};
}

}  // namespace retrial::policies

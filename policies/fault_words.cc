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
constexpr std::string_view kValue = "a header's value, in quotes where it is more than a word";

constexpr Parameter kErrorArguments[] = {{"status", Kind::status, kStatus},
                                         {"retry-after", Kind::retry_after, "seconds, or date+SECONDS", false}};
constexpr Parameter kLostArguments[] = {{"telling", Kind::telling, "reset, close, stall or error(STATUS)"}};
constexpr Parameter kPointArguments[] = {
    {"when", Kind::point, "before-request, after-head, after-request, after-response-head, in-body or idle", false},
    {"bytes", Kind::bytes, kBytes, false}};
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

// In FaultName's order.
constexpr std::array kFaults = {
    FaultWord{FaultName::none, {}},
    FaultWord{FaultName::error, kErrorArguments},
    FaultWord{FaultName::lost_response, kLostArguments},
    FaultWord{FaultName::reset, kPointArguments},
    FaultWord{FaultName::close, kPointArguments},
    FaultWord{FaultName::delay, kDelayArguments},
    FaultWord{FaultName::stall, kPointArguments},
    FaultWord{FaultName::refuse_connect, {}},
    FaultWord{FaultName::connect_timeout, {}},
    FaultWord{FaultName::slow_connect, kTimeArguments},
    FaultWord{FaultName::tls_refuse, {}},
    FaultWord{FaultName::tls_expired, {}},
    FaultWord{FaultName::tls_wrong_name, {}},
    FaultWord{FaultName::tls_cut, kCutArguments},
    FaultWord{FaultName::bandwidth, kRateArguments},
    FaultWord{FaultName::drip, kDripArguments},
    FaultWord{FaultName::truncate, kBytesArguments},
    FaultWord{FaultName::corrupt, kAtArguments},
    FaultWord{FaultName::wrong_length, kByArguments},
    FaultWord{FaultName::drop_header, kNameArguments},
    FaultWord{FaultName::set_header, kSetArguments},
    FaultWord{FaultName::double_header, kDoubleArguments},
    FaultWord{FaultName::malformed, kPartArguments},
    FaultWord{FaultName::redirect_loop, kRedirectArguments},
    FaultWord{FaultName::stale, {}},
    FaultWord{FaultName::duplicate, {}},
    FaultWord{FaultName::rst_stream, {}},
    FaultWord{FaultName::goaway, {}},
    FaultWord{FaultName::late_status, {}},
    FaultWord{FaultName::message, {}},
    FaultWord{FaultName::slow_trailers, {}},
};
static_assert(kFaults.size() == static_cast<std::size_t>(trace::kLastFault) + 1);
}  // namespace

std::span<const std::string_view> fault_words() {
  static const auto words = [] {
    std::array<std::string_view, kFaults.size()> all;
    for (std::size_t i = 0; i < all.size(); i++) all[i] = trace::word_of(kFaults[i].fault);
    return all;
  }();
  return words;
}

const FaultWord* fault_word(std::string_view word) {
  for (auto& fault : kFaults)
    if (trace::word_of(fault.fault) == word) return &fault;
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

#pragma once
#include <optional>
#include <string_view>

#include "policies/chance.h"
#include "trace/fault_table.h"

// Reads one argument of the fault language: pure functions of its text.
namespace retrial::policies {

inline constexpr Nanos kLongestDelay = 3600 * kSecond;
inline constexpr Nanos kLongestWindow = 30 * 24 * 3600 * kSecond;

// The fault before any argument was given: what those mean that are left out.
trace::FaultSpec empty_fault(const trace::FaultRow& row);
// Puts it where it belongs. False for a text that is none of its kind, and `spec` is then not to be used.
bool read_argument(trace::ArgumentKind kind, std::string_view text, trace::FaultSpec& spec);
// The words that a kind knows, for "did you mean".
std::span<const std::string_view> words_of(trace::ArgumentKind kind);
// What would have to be otherwise where two arguments do not go together; empty if all is well.
std::string_view contradiction(const trace::FaultSpec& spec);

std::optional<trace::Spread> read_spread(std::string_view text);
std::optional<Nanos> read_time(std::string_view text, Nanos longest);  // whole milliseconds; a bare number is in ms
std::optional<Share> read_share(std::string_view text);                // a percentage: "10", "0.5"

}  // namespace retrial::policies

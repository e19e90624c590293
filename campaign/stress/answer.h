#pragma once
#include <cstdint>
#include <string_view>

#include "trace/exchange.h"

namespace retrial::campaign {

// What of an answer can be made to grow: JSON with a list in it, or a body that is no JSON.
struct Answer {
  enum class Kind : std::uint8_t { none, list, body } kind = Kind::none;
  std::string_view why_none = {};  // there is something, and it cannot be made to grow
};
Answer answer_of(const trace::Exchange& e);

// A body at most, and how many times as long at most; so that it is worth it.
inline constexpr std::int64_t kMostBodyBytes = 64 << 20, kMostBodyTimes = 1'000'000;

}  // namespace retrial::campaign

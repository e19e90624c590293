#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

namespace retrial::trace {

// Part of a text, [begin, end).
struct Span {
  std::size_t begin = 0, end = 0;
};

enum class Where : std::uint8_t { body, header, target };

// Could a text hold a secret? False is certain.
bool may_hold_secrets(std::string_view text);
// The secrets in a text, which may be cut off anywhere: in their order, apart from each other.
std::vector<Span> secrets_in(std::string_view text, Where where);

}  // namespace retrial::trace

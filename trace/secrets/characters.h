#pragma once
#include <algorithm>
#include <cstddef>
#include <string_view>

#include "base/characters.h"

// What a character is to whoever looks for secrets.
namespace retrial::trace {

// Part of a text, [begin, end).
struct Span {
  std::size_t begin = 0, end = 0;
  explicit operator bool() const { return end > begin; }
};

constexpr bool is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }
constexpr bool in_name(char c) { return is_alnum(c) || c == '_' || c == '-' || c == '.' || c == '$'; }
constexpr bool in_token(char c) { return is_alnum(c) || c == '_' || c == '-'; }
constexpr bool in_base64(char c) { return in_token(c) || c == '+' || c == '/'; }                // either alphabet
constexpr bool in_token68(char c) { return in_base64(c) || c == '.' || c == '~' || c == '='; }  // RFC 9110 11.2
constexpr bool all_space(std::string_view text) { return std::ranges::all_of(text, is_space); }

}  // namespace retrial::trace

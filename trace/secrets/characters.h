#pragma once
#include <algorithm>
#include <cstddef>
#include <string_view>

// What a character is to whoever looks for secrets: ASCII alone, in any locale.
namespace retrial::trace {

// Part of a text, [begin, end).
struct Span {
  std::size_t begin = 0, end = 0;
  explicit operator bool() const { return end > begin; }
};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr char fold(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 32) : c; }
constexpr bool is_alnum(char c) { return is_digit(c) || is_letter(c); }
constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }
constexpr bool is_space(char c) { return is_blank(c) || c == '\r' || c == '\n'; }
constexpr bool is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }
constexpr bool in_name(char c) { return is_alnum(c) || c == '_' || c == '-' || c == '.' || c == '$'; }
constexpr bool in_token(char c) { return is_alnum(c) || c == '_' || c == '-'; }
constexpr bool in_base64(char c) { return in_token(c) || c == '+' || c == '/'; }                // either alphabet
constexpr bool in_token68(char c) { return in_base64(c) || c == '.' || c == '~' || c == '='; }  // RFC 9110 11.2
constexpr bool all_space(std::string_view text) { return std::ranges::all_of(text, is_space); }

}  // namespace retrial::trace

#pragma once

// What a character is: ASCII alone, in any locale.
namespace retrial {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_letter(char c) { return is_lower(c) || is_upper(c); }
constexpr bool is_alnum(char c) { return is_digit(c) || is_letter(c); }
constexpr char fold(char c) { return is_upper(c) ? static_cast<char>(c | 0x20) : c; }  // to lower case
constexpr bool is_hex(char c) { return is_digit(c) || (fold(c) >= 'a' && fold(c) <= 'f'); }
constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }
constexpr bool is_space(char c) { return is_blank(c) || c == '\r' || c == '\n'; }

}  // namespace retrial

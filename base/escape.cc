#include "base/escape.h"

#include <cstdint>

namespace retrial {
namespace {
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Character {
  char32_t code = 0xFFFD;
  std::size_t length = 1;
  bool valid = false;
};

// The character at the front, by RFC 3629: no overlong form, no surrogate, nothing above U+10FFFF.
Character next(std::string_view text) {
  auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char first = byte(0);
  if (first < 0x80) return {first, 1, true};
  std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return {};
  char32_t code = first & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; i++) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = (code << 6) | (byte(i) & 0x3Fu);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[length] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return {};
  return {code, length, true};
}

template <class Put>
void each(std::string_view text, Put put) {
  while (!text.empty()) {
    auto c = next(text);
    put(c, text.substr(0, c.length));
    text.remove_prefix(c.length);
  }
}
}  // namespace

std::string utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  each(bytes, [&](Character c, std::string_view raw) { out += c.valid ? raw : kReplacement; });
  return out;
}

std::string escape(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() + bytes.size() / 8);
  each(bytes, [&](Character c, std::string_view raw) {
    bool control = c.code < 0x20 && c.code != '\t' && c.code != '\n' && c.code != '\r';
    if (!c.valid || control || (c.code >= 0x7F && c.code < 0xA0) || c.code == 0xFFFE || c.code == 0xFFFF)
      out += kReplacement;
    else if (c.code == '&')
      out += "&amp;";
    else if (c.code == '<')
      out += "&lt;";
    else if (c.code == '>')
      out += "&gt;";
    else if (c.code == '"')
      out += "&quot;";
    else if (c.code == '\'')
      out += "&#39;";
    else
      out += raw;
  });
  return out;
}

std::string one_line(std::string_view bytes) {
  std::string out;
  each(bytes, [&](Character c, std::string_view raw) {
    if (c.code == '\t' || c.code == '\n' || c.code == '\r')
      out += ' ';
    else if (!c.valid || c.code < 0x20 || (c.code >= 0x7F && c.code < 0xA0))
      out += kReplacement;
    else
      out += raw;
  });
  return out;
}

std::size_t columns(std::string_view text) {
  std::size_t count = 0;
  each(text, [&](Character, std::string_view) { count++; });
  return count;
}

std::string cut(std::string_view text, std::size_t most) {
  if (columns(text) <= most) return std::string(text);
  if (most == 0) return "";
  std::string out;
  std::size_t count = 0;
  each(text, [&](Character, std::string_view raw) {
    if (++count < most) out += raw;
  });
  return out + "…";
}

}  // namespace retrial

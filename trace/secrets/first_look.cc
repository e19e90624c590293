// Whether a text could hold a secret: what nearly every text of a request is told by.
#include <cstring>

#include "trace/secrets/beginnings.h"
#include "trace/secrets/secrets.h"
#include "trace/secrets/shapes.h"
#include "trace/secrets/unfold.h"

namespace retrial::trace {
namespace {

constexpr std::size_t kLongestUser = 256;  // of a URL, looked through at each "://"; of a longer one the search decides

// At `at` is no letter, digit or the like. Is it of an escape behind which any letter may stand, of a URL with a user,
// of the number of a bot? `rest` goes on with it.
bool sign_tells(std::string_view text, std::size_t at) {
  auto rest = text.substr(at);
  char next = rest.size() > 1 ? rest[1] : '\0';
  switch (rest[0]) {
    case '\\':
      return next == 'u' || next == 'x' || next == '/' || next == '\\';
    case '%':
      return rest.size() > 2 && is_hex(next) && is_hex(rest[2]);
    case '&':
      return next == '#' || rest.starts_with("&amp;");
    case '@':
      return rest.starts_with("@tcp(") || rest.starts_with("@unix(");
    case ':': {
      if (!rest.starts_with("://")) return at >= 8 && std::ranges::all_of(text.substr(at - 8, 8), is_digit);
      auto near = rest.substr(0, kLongestUser);
      auto end = near.find_first_of(" \t\r\n\"'<>|");
      return end == near.npos || near.substr(0, end).find('@') != near.npos;
    }
    default:
      return false;
  }
}

bool control_escape(std::string_view letter) {
  return !letter.empty() && std::string_view("nrtbf").find(letter) != std::string_view::npos;
}

// Small letters alone, sixty-four at a time.
bool all_letters(std::string_view text) {
  using Bytes [[gnu::vector_size(16)]] = unsigned char;
  Bytes least = Bytes{} + 'a', most = least;
  auto look = [&](const char* at) {
    Bytes bytes;
    std::memcpy(&bytes, at, sizeof bytes);
    least = bytes < least ? bytes : least;
    most = bytes > most ? bytes : most;
  };
  auto* at = text.data();
  for (auto left = text.size() / 64; left > 0; left--, at += 64) look(at), look(at + 16), look(at + 32), look(at + 48);
  Bytes others = (least < 'a') | (most > 'z');
  std::uint64_t marks[2];
  std::memcpy(marks, &others, sizeof marks);
  if (marks[0] | marks[1]) return false;
  for (auto* end = text.data() + text.size(); at < end; at++)
    if (*at < 'a' || *at > 'z') return false;
  return true;
}

// Pair for pair, and at each word and sign.
[[gnu::noinline]] bool holds_closely(std::string_view text) {
  if (is_utf16(text)) return true;
  std::size_t run = 0;  // where the letters, digits and the like began that stand before `at`
  for (std::size_t at = 0; at < text.size(); at++) {
    std::uint8_t what = nothing;
    for (; at + 1 < text.size(); at++) {
      std::uint16_t two;
      std::memcpy(&two, text.data() + at, sizeof two);
      if ((what = what_two_are[two]) != nothing) break;
    }
    if (at + 1 == text.size()) what = what_two_are[index_of(text[at], ' ')];
    if (what == nothing) continue;
    if (what == beginning) {
      if (may_begin_secret(text.substr(at))) return true;
      continue;
    }
    if (at - run >= kShortestBase64 && is_text_in_base64(text.substr(run, at - run))) return true;
    if (what == telling && sign_tells(text, at)) return true;
    run = at + 1;
    if (text[at] == '\\' && control_escape(text.substr(run, 1))) at = run++;
  }
  return is_text_in_base64(text.substr(std::min(run, text.size())));
}
}  // namespace

bool may_hold_secrets(std::string_view text) {
  constexpr std::size_t kShortest = 3;  // "x=1", where a user calls x so
  if (text.size() < kShortest) return false;
  if (all_letters(text)) return may_begin_secret(text) || is_text_in_base64(text);  // it is one word
  return holds_closely(text);
}

}  // namespace retrial::trace

#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// Looking through the bytes of a head, sixteen or eight at a time where that many are there.
namespace retrial::proxy {

inline constexpr auto kTokenBytes = [] {  // RFC 9110 5.6.2
  std::array<bool, 256> ok{};
  for (char c : std::string_view("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"))
    ok[static_cast<unsigned char>(c)] = true;
  return ok;
}();
// How many bytes of a token `text` begins with.
inline std::size_t token(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && kTokenBytes[static_cast<unsigned char>(text[n])]) n++;
  return n;
}
inline bool is_token(std::string_view text) { return !text.empty() && token(text) == text.size(); }

static_assert(std::endian::native == std::endian::little, "the lowest bits of a word are its first byte's");
inline constexpr std::uint64_t kEachByte = 0x0101010101010101ull;
inline std::uint64_t word_at(const char* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}
// Which bytes of a word are below `limit` (at most 128): the high bit of each; the lowest mark is a true one.
inline std::uint64_t below(std::uint64_t word, std::uint64_t limit) {
  return (word - kEachByte * limit) & ~word & (kEachByte << 7);
}

// The first control byte (RFC 5234 B.1) other than HTAB, or `end`.
inline const char* first_control(const char* at, const char* end) {
  while (at < end) {
    if (std::size_t left = static_cast<std::size_t>(end - at); left < 8) {
      auto c = static_cast<unsigned char>(*at);
      if (c >= ' ' && c != 127) {
        at++;
        continue;
      }
#if defined(__SSE2__)
    } else if (left >= 16) {
      auto x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
      auto low = _mm_cmpeq_epi8(_mm_min_epu8(x, _mm_set1_epi8(31)), x);
      auto any = static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(low, _mm_cmpeq_epi8(x, _mm_set1_epi8(127)))));
      if (any == 0) {
        at += 16;
        continue;
      }
      at += std::countr_zero(any);
#endif
    } else {
      auto x = word_at(at);
      auto any = below(x, ' ') | below(x ^ (kEachByte * 127), 1);
      if (any == 0) {
        at += 8;
        continue;
      }
      at += std::countr_zero(any) / 8;
    }
    if (*at != '\t') return at;
    at++;
  }
  return end;
}
inline bool controls(std::string_view text) { return first_control(text.begin(), text.end()) != text.end(); }

// The first colon, or `end`.
inline const char* first_colon(const char* at, const char* end) {
#if defined(__SSE2__)
  for (; end - at >= 16; at += 16) {
    auto x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    if (auto any = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_set1_epi8(':')))))
      return at + std::countr_zero(any);
  }
#endif
  for (; end - at >= 8; at += 8)
    if (auto any = below(word_at(at) ^ (kEachByte * ':'), 1)) return at + std::countr_zero(any) / 8;
  while (at < end && *at != ':') at++;
  return at;
}

}  // namespace retrial::proxy

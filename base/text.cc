#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <numeric>

#if defined(__SSE4_2__)
#include <nmmintrin.h>
#elif defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#endif

namespace retrial {
namespace {
#if defined(__SSE4_2__)
#define CRC_BY_WORDS
std::uint64_t crc_with(std::uint64_t crc, std::uint64_t word) { return _mm_crc32_u64(crc, word); }
std::uint32_t crc_with(std::uint32_t crc, unsigned char byte) { return _mm_crc32_u8(crc, byte); }
#elif defined(__ARM_FEATURE_CRC32)
#define CRC_BY_WORDS
std::uint64_t crc_with(std::uint64_t crc, std::uint64_t word) {
  return __crc32cd(static_cast<std::uint32_t>(crc), word);
}
std::uint32_t crc_with(std::uint32_t crc, unsigned char byte) { return __crc32cb(crc, byte); }
#endif
char fold(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = fold(c);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); i++) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); j++) {
      std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (fold(a[i - 1]) != fold(b[j - 1]))});
      diagonal = above;
    }
  }
  return row.back();
}
}  // namespace

bool iequals(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); i++)
    if (a[i] != b[i] && fold(a[i]) != fold(b[i])) return false;
  return true;
}
bool icontains(std::string_view text, std::string_view part) {
  auto same = [](char x, char y) { return fold(x) == fold(y); };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}
std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), fold);
  return out;
}
std::string_view trim(std::string_view text) {
  auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}
std::vector<std::string_view> split(std::string_view text, char by) {
  std::vector<std::string_view> parts;
  for (;;) {
    auto at = text.find(by);
    parts.push_back(text.substr(0, at));
    if (at == text.npos) return parts;
    text.remove_prefix(at + 1);
  }
}
std::string percent_decode(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); i++) {
    if (text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0) {
      out += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}
std::string hex(std::uint64_t value, int digits) { return fmt::format("{:0{}x}", value, digits); }
std::optional<std::int64_t> to_int(std::string_view text) {
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}
std::optional<std::int64_t> parse_duration(std::string_view text) {
  text = trim(text);
  auto unit_at = text.find_first_not_of("0123456789.");
  if (unit_at == text.npos || unit_at == 0) return {};
  double number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + unit_at, number);
  if (error != std::errc{} || end != text.data() + unit_at) return {};
  auto unit = trim(text.substr(unit_at));
  double scale = unit == "ms"                   ? 1e6
                 : unit == "s"                  ? 1e9
                 : unit == "m" || unit == "min" ? 60e9
                 : unit == "h"                  ? 3600e9
                                                : 0;
  if (scale == 0 || number * scale > 9e18) return {};
  return static_cast<std::int64_t>(number * scale);
}
std::string show_duration(std::int64_t nanos) {
  if (nanos < 1'000'000'000) return fmt::format("{} ms", nanos / 1'000'000);
  if (nanos < 60'000'000'000) return fmt::format("{:.1f} s", static_cast<double>(nanos) / 1e9);
  auto seconds = nanos / 1'000'000'000, hours = seconds / 3600;
  if (hours >= 48)
    return hours % 24 ? fmt::format("{} days {} h", hours / 24, hours % 24) : fmt::format("{} days", hours / 24);
  if (hours >= 2) {
    auto minutes = seconds % 3600 / 60;
    return minutes ? fmt::format("{} h {} min", hours, minutes) : fmt::format("{} h", hours);
  }
  return seconds % 60 ? fmt::format("{} min {} s", seconds / 60, seconds % 60) : fmt::format("{} min", seconds / 60);
}
std::string show_size(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto unit = std::begin(kUnits);
  for (; bytes && bytes % 1024 == 0 && unit + 1 != std::end(kUnits); unit++) bytes /= 1024;
  return fmt::format("{}{}", bytes, *unit);
}
std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> known) {
  std::optional<std::string_view> best;
  std::size_t limit = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (auto k : known)
    if (auto d = edit_distance(word, k); d < limit) best = k, limit = d;
  return best;
}
std::uint64_t fnv1a(std::string_view bytes, std::uint64_t seed) {
  for (unsigned char c : bytes) seed = (seed ^ c) * 0x100000001b3ull;
  return seed;
}
std::uint32_t crc32c(std::string_view bytes, std::uint32_t seed) {
  std::uint32_t crc = ~seed;
#if defined(CRC_BY_WORDS)
  const char* p = bytes.data();
  std::size_t n = bytes.size();
  auto word_at = [](const char* at) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    return word;
  };
  std::uint64_t wide = crc;
  for (; n >= 64; p += 64, n -= 64) {
    wide = crc_with(wide, word_at(p));
    wide = crc_with(wide, word_at(p + 8));
    wide = crc_with(wide, word_at(p + 16));
    wide = crc_with(wide, word_at(p + 24));
    wide = crc_with(wide, word_at(p + 32));
    wide = crc_with(wide, word_at(p + 40));
    wide = crc_with(wide, word_at(p + 48));
    wide = crc_with(wide, word_at(p + 56));
  }
  for (; n >= 8; p += 8, n -= 8) wide = crc_with(wide, word_at(p));
  crc = static_cast<std::uint32_t>(wide);
  for (; n; p++, n--) crc = crc_with(crc, static_cast<unsigned char>(*p));
#else
  for (unsigned char c : bytes) {
    crc ^= c;
    for (int k = 0; k < 8; k++) crc = (crc >> 1) ^ (0x82f63b78u & (0u - (crc & 1u)));
  }
#endif
  return ~crc;
}

}  // namespace retrial

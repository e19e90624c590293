#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace retrial {

bool iequals(std::string_view a, std::string_view b);                 // ASCII case folded
bool icontains(std::string_view text, std::string_view part);         // ASCII case folded
std::string lower(std::string_view text);                             // ASCII
std::string_view trim(std::string_view text);                         // spaces, tabs, CR, LF off both ends
std::vector<std::string_view> split(std::string_view text, char by);  // "a,,b" has three parts; "" has one, empty
std::string percent_decode(std::string_view text);                    // a broken escape stays as it is
std::string hex(std::uint64_t value, int digits);                     // lower case, zero padded
std::optional<std::int64_t> to_int(std::string_view text);            // the whole text, base 10, or nothing
std::optional<std::int64_t> parse_duration(
    std::string_view text);                     // "250ms" "30s" "10m" "2h" -> nanoseconds, or nothing
std::string show_duration(std::int64_t nanos);  // "0 ms" "340 ms" "2.3 s" "5 min 10 s"
std::string show_size(std::uint64_t bytes);     // "1000B" "1536KiB" "10GiB", exactly

// The known word nearest to `word` by edit distance, or nothing if none is near enough to be meant.
std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> known);

// FNV-1a, 64 bit: for ids that must be the same in every run and on every machine. Not for hostile input.
std::uint64_t fnv1a(std::string_view bytes, std::uint64_t seed = 0xcbf29ce484222325ull);

// CRC-32C (Castagnoli, RFC 3720 B.4).
std::uint32_t crc32c(std::string_view bytes, std::uint32_t seed = 0);

}  // namespace retrial

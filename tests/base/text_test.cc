#include "base/text.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>

namespace retrial {
namespace {
using namespace std::string_view_literals;

TEST(Text, case_is_folded_in_ascii_only) {
  EXPECT_TRUE(iequals("Retry-After", "retry-AFTER"));
  EXPECT_FALSE(iequals("Retry-After", "Retry-Afte"));
  EXPECT_FALSE(iequals("\xc3\x84", "\xc3\xa4")) << "two letters of UTF-8 that differ by case stay two";
  EXPECT_FALSE(iequals("@", "`")) << "neighbours of A and a in the table are no letters";
  EXPECT_EQ(lower("Content-MD5 [Z]"), "content-md5 [z]");
  EXPECT_TRUE(icontains("socket HANG up", "Hang"));
  EXPECT_TRUE(icontains("anything", ""));
  EXPECT_FALSE(icontains("hang", "hangs"));
}

TEST(Text, trim_takes_blanks_off_both_ends_and_leaves_those_inside) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim(" \r\n"), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Text, split_keeps_empty_parts) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), std::vector<std::string_view>{""});
  EXPECT_EQ(split(",", ','), (std::vector<std::string_view>{"", ""}));
}

TEST(Text, percent_decoding_leaves_a_broken_escape_as_it_is) {
  EXPECT_EQ(percent_decode("src%2Fa%20b"), "src/a b");
  EXPECT_EQ(percent_decode("%c3%A4"), "\xc3\xa4");
  EXPECT_EQ(percent_decode("100%"), "100%");
  EXPECT_EQ(percent_decode("%2"), "%2");
  EXPECT_EQ(percent_decode("%zz%41"), "%zzA");
  EXPECT_EQ(percent_decode("%00"), "\0"sv);
}

TEST(Text, hex_is_lower_case_and_padded) {
  EXPECT_EQ(hex(0xab, 8), "000000ab");
  EXPECT_EQ(hex(0xdeadbeef, 8), "deadbeef");
  EXPECT_EQ(hex(0, 1), "0");
}

TEST(Text, a_number_is_the_whole_text_or_nothing) {
  EXPECT_EQ(to_int("42"), 42);
  EXPECT_EQ(to_int("-7"), -7);
  EXPECT_EQ(to_int("42 "), std::nullopt);
  EXPECT_EQ(to_int("4x"), std::nullopt);
  EXPECT_EQ(to_int(""), std::nullopt);
  EXPECT_EQ(to_int("9223372036854775807"), 9223372036854775807);
  EXPECT_EQ(to_int("9223372036854775808"), std::nullopt) << "too large for what holds it";
}

TEST(Text, durations_need_a_unit) {
  EXPECT_EQ(parse_duration("250ms"), 250'000'000);
  EXPECT_EQ(parse_duration("30s"), 30'000'000'000);
  EXPECT_EQ(parse_duration("1.5 s"), 1'500'000'000);
  EXPECT_EQ(parse_duration("10m"), 600'000'000'000);
  EXPECT_EQ(parse_duration("10min"), 600'000'000'000);
  EXPECT_EQ(parse_duration("2h"), 7'200'000'000'000);
  EXPECT_EQ(parse_duration(" 0s "), 0);
  for (auto wrong : {"", "30", "s", "-1s", "1.2.3s", "5 parsecs", "1s2", "99999999999h", "1e3s"})
    EXPECT_EQ(parse_duration(wrong), std::nullopt) << wrong;
}

TEST(Text, durations_are_shown_as_one_reads_them) {
  EXPECT_EQ(show_duration(0), "0 ms");
  EXPECT_EQ(show_duration(340'900'000), "340 ms");
  EXPECT_EQ(show_duration(2'340'000'000), "2.3 s");
  EXPECT_EQ(show_duration(60'000'000'000), "1 min");
  EXPECT_EQ(show_duration(310'000'000'000), "5 min 10 s");
  EXPECT_EQ(show_duration(7'199'000'000'000), "119 min 59 s");
  EXPECT_EQ(show_duration(7'230'000'000'000), "2 h");
  EXPECT_EQ(show_duration(145'205'000'000'000), "40 h 20 min");
  EXPECT_EQ(show_duration(180'000'000'000'000), "2 days 2 h");
}

TEST(Text, the_nearest_word_is_found_if_it_is_near_enough_to_be_meant) {
  constexpr std::array known = {"coverage"sv, "policies"sv, "fail_on"sv, "tcp"sv};
  EXPECT_EQ(nearest("fail_onn", known), "fail_on");
  EXPECT_EQ(nearest("Policys", known), "policies");
  EXPECT_EQ(nearest("tcpp", known), "tcp");
  EXPECT_EQ(nearest("kubernetes", known), std::nullopt);
  EXPECT_EQ(nearest("x", known), std::nullopt);
  EXPECT_EQ(nearest("coverage", {}), std::nullopt);
  EXPECT_EQ(nearest("aa", std::array{"ab"sv, "aa"sv}), "aa") << "of two that are near, the nearest";
}

TEST(Text, fnv1a_has_the_published_values) {
  EXPECT_EQ(fnv1a(""), 0xcbf29ce484222325ull);
  EXPECT_EQ(fnv1a("a"), 0xaf63dc4c8601ec8cull);
  EXPECT_EQ(fnv1a("foobar"), 0x85944171f73967e8ull);
  EXPECT_EQ(fnv1a("bar", fnv1a("foo")), fnv1a("foobar")) << "it goes on where it was left";
}

// RFC 3720 B.4 and the usual check value.
TEST(Text, crc32c_has_the_published_values) {
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  std::string up(32, 0);
  std::iota(up.begin(), up.end(), 0);
  EXPECT_EQ(crc32c(up), 0x46dd794eu);
  EXPECT_EQ(crc32c(std::string(up.rbegin(), up.rend())), 0x113fdb5cu);
  EXPECT_EQ(crc32c(""), 0u);
}

TEST(Text, crc32c_goes_on_where_it_was_left_at_every_split) {
  std::string_view text = "the quick brown fox jumps over the lazy dog";
  for (std::size_t cut = 0; cut <= text.size(); cut++)
    EXPECT_EQ(crc32c(text.substr(cut), crc32c(text.substr(0, cut))), crc32c(text)) << "cut at " << cut;
}

TEST(Text, sizes_are_shown_as_they_are_written) {
  EXPECT_EQ(show_size(0), "0B");
  EXPECT_EQ(show_size(1000), "1000B");
  EXPECT_EQ(show_size(64u << 10), "64KiB");
  EXPECT_EQ(show_size(1536u << 10), "1536KiB");
  EXPECT_EQ(show_size(10ull << 30), "10GiB");
}

}  // namespace
}  // namespace retrial

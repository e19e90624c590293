#include "trace/recording/header_lines.h"

#include <gtest/gtest.h>

namespace retrial::trace {
namespace {

std::string shown(const std::vector<Header>& headers) {
  std::string all;
  for (auto& h : headers) all += "[" + h.name + "|" + h.value + "]";
  return all;
}

TEST(HeaderLines, become_headers_in_their_order) {
  std::vector<Header> to;
  ASSERT_TRUE(read_header_lines("Host: a:80\r\nX-Empty:\r\nx: \t1, 2 \r\nX: 3\r\n", to));
  EXPECT_EQ(shown(to), "[Host|a:80][X-Empty|][x|1, 2][X|3]");
}
TEST(HeaderLines, of_a_folded_value_keep_their_folds) {
  std::vector<Header> to;
  ASSERT_TRUE(read_header_lines("A: b\r\n c: d\r\n\te\r\nB: 1\r\n", to));
  EXPECT_EQ(shown(to), "[A|b\r\n c: d\r\n\te][B|1]");
}
TEST(HeaderLines, take_the_place_of_what_was_there) {
  std::vector<Header> to;
  ASSERT_TRUE(read_header_lines("A: 1\r\nB: 2\r\nC: 3\r\n", to));
  ASSERT_TRUE(read_header_lines("D: 4\r\n", to));
  EXPECT_EQ(shown(to), "[D|4]");
  ASSERT_TRUE(read_header_lines("", to));
  EXPECT_TRUE(to.empty());
}
TEST(HeaderLines, are_read_alike_whatever_was_there) {
  const std::string_view texts[] = {"A: 1\r\n",
                                    "A: 1\r\n 2\r\n",
                                    "A: 12\r\n",
                                    "A:1\r\n",
                                    "A: 1 \r\n",
                                    "a: 1\r\n",
                                    "A:\r\n",
                                    "A: \r\n",
                                    "AB: 1\r\n",
                                    "Longer-Than-That: and a value of some length\r\n",
                                    "Longer-Than-That: and a value of some length.\r\n",
                                    ": 1\r\n",
                                    "A: 1: 1\r\n"};
  for (auto first : texts)
    for (auto second : texts)
      for (auto third : texts) {
        std::vector<Header> used, fresh;
        ASSERT_TRUE(read_header_lines(std::string(first) + std::string(third), used));
        auto lines = std::string(second) + std::string(third);
        ASSERT_TRUE(read_header_lines(lines, used));
        ASSERT_TRUE(read_header_lines(lines, fresh));
        ASSERT_EQ(shown(used), shown(fresh)) << first << second;
      }
}
TEST(HeaderLines, are_nothing_else) {
  std::vector<Header> to;
  for (std::string_view text : {"A: 1", "A: 1\r\nB", "A: 1\r\nB\r\n", "A\r\n", "A\r\nB: 1\r\n", "\r\n", "A: 1\n"})
    EXPECT_FALSE(read_header_lines(text, to)) << text;
}

}  // namespace
}  // namespace retrial::trace

#include "campaign/report/right_code.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "oracles/oracle.h"
#include "tests/support/docs.h"

namespace retrial::campaign::report {
namespace {

TEST(RightCode, is_there_for_each_verdict_that_its_page_names) {
  auto text = test::docs("right-code.md");
  std::size_t names = 0;
  for (auto& row : test::table_below(text, "# Right code"))
    for (auto name : split(row.at(0), ',')) {
      auto verdict = trim(name).substr(1, trim(name).size() - 2);
      EXPECT_NE(oracles::verdict_named(verdict), nullptr) << verdict;
      EXPECT_FALSE(right_code(verdict).empty()) << verdict;
      names++;
    }
  EXPECT_GT(names, 15u);
}

TEST(RightCode, has_what_it_uses_from_the_sections_before_it) {
  auto attempts = right_code("missing-cap"), failures = right_code("kept-failure");
  ASSERT_EQ(attempts.size(), 4u);
  ASSERT_EQ(failures.size(), 8u);
  EXPECT_EQ(attempts.front().language, "python");
  EXPECT_EQ(attempts.at(1).language, "node");
  EXPECT_TRUE(failures.at(4).text.starts_with("# tickets.py\n")) << failures.at(4).text;
  EXPECT_TRUE(failures.back().text.ends_with("\n}")) << failures.back().text;
  EXPECT_TRUE(right_code("crash").empty());
  EXPECT_TRUE(right_code("no-such").empty());
}

}  // namespace
}  // namespace retrial::campaign::report

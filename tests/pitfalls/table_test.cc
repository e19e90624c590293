// docs/pitfalls.md names a test for every pitfall: each of them is there, and none of ours is left out.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>

#include "tests/support/docs.h"

namespace retrial {
namespace {
namespace fs = std::filesystem;
using Names = std::set<std::string>;

void each(const std::string& text, const char* pattern, auto call) {
  std::regex regex(pattern);
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at) call(*at);
}

Names tests_below(const fs::path& folder) {
  Names tests;
  for (auto& entry : fs::recursive_directory_iterator(fs::path(RETRIAL_SOURCE_DIR) / folder))
    if (entry.path().string().ends_with("_test.cc"))
      each(test::text_of(fs::relative(entry.path(), RETRIAL_SOURCE_DIR).string()),
           R"(\nTEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\))",
           [&](auto& found) { tests.insert(found.str(1) + "." + found.str(2)); });
  return tests;
}
Names named_in(const std::string& text) {
  Names tests;
  each(text, R"(`([A-Z]\w+\.\w+)`)", [&](auto& found) { tests.insert(found.str(1)); });
  return tests;
}

TEST(Pitfalls, have_tests_that_are_there) {
  auto tests = tests_below("tests"), named = named_in(test::docs("pitfalls.md"));
  for (auto& name : named) EXPECT_TRUE(tests.contains(name)) << name;
}

TEST(Pitfalls, have_a_test_each_or_say_why_there_is_nothing_to_test) {
  auto page = test::docs("pitfalls.md");
  int sections = 0;
  for (auto line : split(page, '\n')) {
    if (!line.starts_with("## ")) continue;
    sections++;
    auto rows = test::table_below(page, line);
    EXPECT_FALSE(rows.empty()) << line;
    for (auto& row : rows) {
      ASSERT_EQ(row.size(), 3u) << row.at(0);
      bool nothing_done = row[1].starts_with("not read:") || row[1].ends_with("(nothing to take out)");
      EXPECT_EQ(named_in(row[2]).empty(), nothing_done) << row[0];
    }
  }
  EXPECT_GT(sections, 0);
}

TEST(Pitfalls, tests_that_are_about_these_alone_are_all_named) {
  auto named = named_in(test::docs("pitfalls.md"));
  for (auto& name : tests_below("tests/pitfalls"))
    EXPECT_TRUE(name.starts_with("Pitfalls.") || named.contains(name)) << name;
}

}  // namespace
}  // namespace retrial

// docs/limits.md has a test for every bound: each of them is there.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>

#include "tests/support/docs.h"

namespace retrial::test {
namespace {
namespace fs = std::filesystem;

// "Suite.name" of C++, "test_file.test_name" of Python.
std::set<std::string> all_tests() {
  std::set<std::string> tests;
  auto each = [](const std::string& text, const char* pattern, auto call) {
    std::regex regex(pattern);
    for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at) call(*at);
  };
  for (auto* folder : {"tests", "integration/e2e"})
    for (auto& entry : fs::recursive_directory_iterator(fs::path(RETRIAL_SOURCE_DIR) / folder)) {
      auto text = [&] { return "\n" + text_of(fs::relative(entry.path(), RETRIAL_SOURCE_DIR).string()); };
      if (entry.path().string().ends_with("_test.cc"))
        each(text(), R"(\nTEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\))",
             [&](auto& found) { tests.insert(found.str(1) + "." + found.str(2)); });
      if (entry.path().extension() == ".py")
        each(text(), R"(\ndef (test_\w+)\()",
             [&](auto& found) { tests.insert(entry.path().stem().string() + "." + found.str(1)); });
    }
  return tests;
}

TEST(LimitsPage, has_a_test_for_every_bound_and_each_of_them_is_there) {
  auto tests = all_tests();
  auto rows = table_below(docs("limits.md"), "# Limits");
  EXPECT_GT(rows.size(), 10u);
  for (auto& row : rows) {
    ASSERT_EQ(row.size(), 5u) << row.at(0);
    int named = 0;
    for (auto part : split(row[4], ',')) {
      auto name = std::string(trim(part));
      ASSERT_TRUE(name.size() > 2 && name.front() == '`' && name.back() == '`') << row[0] << ": " << name;
      name = name.substr(1, name.size() - 2);
      auto known = name.ends_with(".*") ? tests.lower_bound(name.substr(0, name.size() - 1)) : tests.find(name);
      EXPECT_TRUE(known != tests.end() && known->starts_with(name.substr(0, name.find('.') + 1)))
          << row[0] << ": " << name;
      named++;
    }
    EXPECT_GT(named, 0) << row[0];
  }
}

}  // namespace
}  // namespace retrial::test

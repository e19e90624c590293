// docs/thresholds.md has a row for every number of an oracle, with the value that it has.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>

#include "tests/support/docs.h"

namespace retrial::oracles {
namespace {
namespace fs = std::filesystem;

// "`no_backoff.cc` `kGaps`" -> "3", of constants that are said by a number: `constexpr int kGaps = 3, kCalls = 2;`.
std::map<std::string, std::string> numbers() {
  static const std::regex constant(R"(\n *(?:static |inline )*constexpr (?!auto)[\w:]+ ([^;{}]*);)");
  static const std::regex one(R"((k\w+) = ((?:\d[\d.' ]*|kSecond|kMillisecond|\* )+))");
  std::map<std::string, std::string> found;
  for (auto& entry : fs::directory_iterator(fs::path(RETRIAL_SOURCE_DIR) / "oracles")) {
    auto name = entry.path().filename().string();
    auto text = test::text_of("oracles/" + name);
    for (std::sregex_iterator line(text.begin(), text.end(), constant), end; line != end; ++line) {
      auto said = line->str(1);
      for (std::sregex_iterator at(said.begin(), said.end(), one); at != end; ++at)
        found["`" + name + "` `" + at->str(1) + "`"] = trim(at->str(2));
    }
  }
  return found;
}

TEST(Thresholds, of_oracles_have_a_row_each_with_their_value_and_what_they_come_from) {
  std::map<std::string, std::string> rows;
  for (auto& row : test::table_below(test::docs("thresholds.md"), "## Oracles")) {
    ASSERT_EQ(row.size(), 5u) << row.at(0);
    for (auto& cell : row) EXPECT_FALSE(cell.empty()) << row[0];
    rows[row[0]] = row[1];
  }
  auto found = numbers();
  EXPECT_GT(found.size(), 30u);
  for (auto& [name, value] : found) {
    EXPECT_TRUE(rows.contains(name)) << name << " = " << value << " has no row in docs/thresholds.md";
    EXPECT_EQ(rows[name], value) << name;
  }
  for (auto& [name, value] : rows) EXPECT_TRUE(found.contains(name)) << name << " is no number of an oracle";
}

}  // namespace
}  // namespace retrial::oracles

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <sstream>

#include "scan/scan.h"
#include "scan/verdicts.h"
#include "tests/support/docs.h"
#include "tests/support/folder.h"

// What is marked in tests/scan/corpus is found, with its bound and its wait, and nothing else is.
namespace retrial::scan {
namespace {

namespace fs = std::filesystem;

using Marks = std::map<std::uint32_t, std::string>;  // line -> "count growing"

Marks marked(const std::string& text) {
  static const std::regex mark(R"((#|//) retry: ([a-z]+ [a-z]+))");
  Marks marks;
  std::istringstream lines(text);
  std::uint32_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    number++;
    std::smatch match;
    if (std::regex_search(line, match, mark)) marks[number] = match[2];
  }
  return marks;
}

Marks found_in(const fs::path& path, const std::string& text) {
  Marks marks;
  for (auto& location : scan_text(*language_of(path.string()), text).locations)
    marks[location.line] = word(location.bound) + " " + word(location.wait);
  return marks;
}

class Corpus : public testing::TestWithParam<std::string> {};

TEST_P(Corpus, is_found_as_it_is_marked_and_nothing_else_is) {
  auto path = fs::path(RETRIAL_SOURCE_DIR) / "tests/scan/corpus" / GetParam();
  auto text = test::contents(path);
  auto marks = marked(text);
  ASSERT_FALSE(marks.empty());
  EXPECT_EQ(found_in(path, text), marks);
}

INSTANTIATE_TEST_SUITE_P(Scan, Corpus,
                         testing::Values("retries.py", "retries.js", "retries.ts", "Retries.java", "retries.go",
                                         "retries.rs", "retries.rb", "retries.cc", "retries.c", "Retries.cs"),
                         [](auto& info) {
                           auto name = info.param;
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

TEST(Languages, each_have_a_marked_corpus_and_stand_on_the_page) {
  auto page = test::docs("scan.md");
  for (auto* language : languages()) {
    EXPECT_NE(page.find(language->name), page.npos) << language->name;
    bool marks = false;
    for (auto& file : fs::directory_iterator(fs::path(RETRIAL_SOURCE_DIR) / "tests/scan/corpus")) {
      auto* of = language_of(file.path().string());
      marks |= of && of->name == language->name && !marked(test::contents(file.path())).empty();
    }
    EXPECT_TRUE(marks) << language->name;
  }
}

TEST(ScanPage, has_a_row_for_every_verdict) {
  std::vector<std::string> rows, names;
  for (auto& row : test::table_below(test::docs("scan.md"), "## Verdicts")) rows.push_back(row.at(0));
  for (auto& rule : rules()) names.push_back("`" + std::string(rule.name) + "`");
  std::ranges::sort(rows);
  std::ranges::sort(names);
  EXPECT_EQ(rows, names);
}

}  // namespace
}  // namespace retrial::scan

// docs/pitfalls.md names a test for every pitfall: each of them is there.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace retrial {
namespace {
namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}
void each(const std::string& text, const char* pattern, auto call) {
  std::regex regex(pattern);
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at) call(*at);
}

TEST(Pitfalls, have_tests_that_are_there) {
  fs::path source = RETRIAL_SOURCE_DIR;
  std::set<std::string> tests;
  for (auto& entry : fs::recursive_directory_iterator(source / "tests"))
    if (entry.path().string().ends_with("_test.cc"))
      each(text_of(entry.path()), R"(\nTEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\))",
           [&](auto& found) { tests.insert(found.str(1) + "." + found.str(2)); });
  ASSERT_GT(tests.size(), 1000u);
  int named = 0;
  each(text_of(source / "docs/pitfalls.md"), R"(`([A-Z]\w+\.\w+)`)", [&](auto& found) {
    named++;
    EXPECT_TRUE(tests.contains(found.str(1))) << found.str(1);
  });
  EXPECT_GT(named, 80);
}

}  // namespace
}  // namespace retrial

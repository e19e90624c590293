#include "scan/ids.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "scan/scan.h"
#include "tests/support/folder.h"

namespace retrial::scan {
namespace {

using test::Folder;

const std::string kLoop = "  while True:\n    try:\n      return get(u)\n    except OSError: pass\n";

std::vector<std::string> ids(const std::vector<std::string>& paths) {
  std::vector<std::string> all;
  for (auto& at : scan_files(*choose_files(paths, false)).locations)
    for (auto& verdict : at.verdicts) all.push_back(verdict.id);
  return all;
}

TEST(Ids, are_eight_hex_digits_like_those_of_findings) {
  Folder folder;
  auto file = folder.write("a.py", "def f(u):\n" + kLoop);
  auto all = ids({file.string()});
  ASSERT_EQ(all.size(), 2u);
  for (auto& id : all) {
    EXPECT_EQ(id.size(), 8u);
    EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), id.npos);
  }
}

TEST(Ids, do_not_depend_on_how_a_file_was_named_or_where_its_repository_lies) {
  Folder one, other;
  for (auto* folder : {&one, &other}) {
    std::filesystem::create_directory(folder->path() / ".git");
    folder->write("src/a.py", "def f(u):\n" + kLoop);
  }
  auto all = ids({(one.path() / "src/a.py").string()});
  EXPECT_EQ(all, ids({(one.path() / "src/../src").string()}));
  EXPECT_EQ(all, ids({(other.path() / "src/a.py").string()}));
}

TEST(Ids, differ_for_two_loops_of_one_function_around_the_same_call) {
  Folder folder;
  auto file = folder.write("a.py", "def f(u):\n" + kLoop + kLoop);
  auto all = ids({file.string()});
  EXPECT_EQ(all.size(), 4u);
  std::ranges::sort(all);
  EXPECT_EQ(std::ranges::adjacent_find(all), all.end());
}

TEST(Files, below_the_current_directory_are_named_relative_to_it) {
  auto here = std::filesystem::current_path();
  Folder folder;
  folder.write("a.py", "x = 1\n");
  auto root = std::filesystem::canonical(folder.path());
  std::filesystem::current_path(root);
  auto chosen = choose_files({root.string(), "."}, false);
  std::filesystem::current_path(here);
  EXPECT_EQ(chosen->files, std::vector<std::string>{"a.py"});
}

}  // namespace
}  // namespace retrial::scan

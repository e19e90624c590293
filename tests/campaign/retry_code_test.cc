#include "campaign/retry_code.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/folder.h"

namespace retrial::campaign {
namespace {

Case at(const char* file, int line) {
  Case one;
  one.row.site = trace::CallSite{file, line, "f"};
  return one;
}

TEST(RetryCode, makes_cases_at_retry_locations_worth_more_and_most_at_those_that_look_wrong) {
  test::Folder folder;
  folder.write("right.py",
               "def f(u):\n  for n in range(3):\n    try:\n      return get(u)\n    except OSError:\n"
               "      time.sleep(2 ** n * random.random())\n  raise Gone(u)\n");
  folder.write("wrong.py", "def f(u):\n  while True:\n    try:\n      return get(u)\n    except OSError: pass\n");
  folder.write("plain.py", "def f(u):\n  return get(u)\n");
  auto here = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  RetryCode code;
  code.read();
  std::vector<Case> cases{at("plain.py", 2), at("right.py", 4), at("wrong.py", 4)};
  code.raise(cases);
  std::filesystem::current_path(here);
  EXPECT_DOUBLE_EQ(cases[0].value, 1);
  EXPECT_GT(cases[1].value, cases[0].value);
  EXPECT_GT(cases[2].value, cases[1].value);
}

}  // namespace
}  // namespace retrial::campaign

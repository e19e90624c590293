// Whatever a file holds, it is read in steps that its size bounds.
#include <gtest/gtest.h>

#include "scan/candidates.h"
#include "scan/scan.h"
#include "scan/verdicts.h"

namespace retrial::scan {
namespace {

std::string repeated(std::string_view head, std::string_view part, int times, std::string_view tail = "") {
  std::string text(head);
  for (int i = 0; i < times; i++) text += part;
  return text + std::string(tail);
}

TEST(Entangled, files_are_left_off_and_counted) {
  auto left_off = [](const char* file, const std::string& text) {
    EXPECT_LT(text.size(), kLargest);
    return scan_text(*language_of(file), text).too_much;
  };
  EXPECT_TRUE(
      left_off("a.py", repeated("def f(x):\n while True:\n", "  try: g(x)\n  except OSError: continue\n", 8'000)));
  EXPECT_TRUE(left_off("a.go", repeated("package a\nfunc f() {\n for {\n",
                                        "x, err := get(x); if err != nil { continue }\n", 8'000, " }\n}\n")));
  EXPECT_TRUE(left_off("a.ts", repeated("async function f() { while (true) {\n",
                                        "try { await g(x) } catch (e) { n++; continue }\n", 8'000, "} }\n")));
  EXPECT_TRUE(left_off("a.py", repeated("def f(x):\n", "  try: g(x)\n  except OSError: f(x)\n", 8'000)));
}

TEST(Entangled, are_not_those_that_are_only_long) {
  std::string text;
  for (int i = 0; i < 5'000; i++)
    text +=
        "def f" + std::to_string(i) +
        "(u):\n  for n in range(3):\n    try:\n      return get(u)\n    except OSError:\n      time.sleep(2 ** n)\n";
  auto found = scan_text(*language_of("a.py"), text);
  EXPECT_FALSE(found.too_much);
  EXPECT_EQ(found.locations.size(), 5'000u);
}

// By the square of their number this would take hours.
TEST(Entangled, are_no_verdicts_of_a_project_with_very_many_locations) {
  std::vector<Location> all(300'000);
  for (std::uint32_t i = 0; i < all.size(); i++) {
    all[i].file = "a.py";
    all[i].line = all[i].last_line = all[i].function_line = i + 1;
    all[i].function = "fetch";
    all[i].callees = {{.name = "fetch", .module = ""}};
    all[i].back = {"OSError"};
    all[i].calls = "get";
  }
  judge(all);
  EXPECT_EQ(all.back().verdicts.size(), 2u);
}

TEST(Entangled, loops_within_loops_are_not_gone_through_by_all_ways) {
  std::string text = "def f(x):\n";
  for (int depth = 0; depth < 60; depth++) text += std::string(depth + 1u, ' ') + "for i in x:\n";
  EXPECT_NO_THROW(loops_for_each_thing(*language_of("a.py"), text + std::string(61, ' ') + "g(i)\n"));
}

}  // namespace
}  // namespace retrial::scan

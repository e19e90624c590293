#include "scan/verdicts.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "scan/scan.h"

namespace retrial::scan {
namespace {

std::vector<Location> judged(std::string_view path, std::string_view text) {
  auto found = scan_text(*language_of(path), text).locations;
  for (auto& one : found) one.file = path;
  judge(found);
  return found;
}

std::vector<std::string> names(const Location& at) {
  std::vector<std::string> all;
  for (auto& verdict : at.verdicts) all.push_back(verdict.name);
  return all;
}

bool has(const Location& at, std::string_view name) { return std::ranges::count(names(at), name) > 0; }

TEST(Verdicts, of_a_loop_without_an_end_or_a_wait_say_both) {
  auto found = judged("a.py", "def f(u):\n  while True:\n    try:\n      return get(u)\n    except OSError: pass\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(names(found[0]), (std::vector<std::string>{"missing-cap", "missing-delay"}));
}

TEST(Verdicts, of_a_right_loop_are_none) {
  auto found = judged("a.py",
                      "def f(u):\n  for n in range(3):\n    try:\n      return get(u)\n    except OSError:\n"
                      "      time.sleep(2 ** n * random.random())\n  raise Gone(u)\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].verdicts.empty()) << names(found[0]).front();
}

TEST(Verdicts, say_that_a_post_without_a_key_is_sent_again_and_nothing_where_there_is_one) {
  auto text = [](const char* key) {
    return std::string("def f(u):\n  for n in range(3):\n    try:\n      return http.post(u, headers={") + key +
           "})\n    except OSError:\n      time.sleep(2 ** n)\n  raise Gone(u)\n";
  };
  EXPECT_TRUE(has(judged("a.py", text("")).at(0), "retries-non-idempotent"));
  EXPECT_FALSE(has(judged("a.py", text("'Idempotency-Key': k")).at(0), "retries-non-idempotent"));
  EXPECT_TRUE(has(judged("a.py", text("'Idempotency-Key': uuid4()")).at(0), "changed-on-retry"));
}

TEST(Verdicts, say_that_whatever_fails_leads_back_unless_it_is_looked_at) {
  auto text = [](const char* look) {
    return std::string(
               "async function f(u) {\n  for (let i = 0; i < 3; i++) {\n    try {\n      return await get(u);\n    } "
               "catch (e) {\n      ") +
           look + "await sleep(2 ** i);\n    }\n  }\n  throw new Error('gone');\n}\n";
  };
  EXPECT_TRUE(has(judged("a.js", text("")).at(0), "retries-permanent-error"));
  EXPECT_FALSE(has(judged("a.js", text("if (e.status < 500) throw e;\n")).at(0), "retries-permanent-error"));
}

TEST(Verdicts, say_that_the_last_failure_is_swallowed) {
  auto found = judged("a.py",
                      "def f(u):\n  for n in range(3):\n    try:\n      send(u)\n      break\n    except OSError:\n    "
                      "  time.sleep(2 ** n)\n");
  EXPECT_TRUE(has(found.at(0), "swallowed-error"));
}

TEST(Verdicts, say_where_retries_within_retries_multiply) {
  auto found = judged("a.py",
                      "def inner(u):\n  for n in range(3):\n    try:\n      return get(u)\n    except OSError:\n      "
                      "time.sleep(2 ** n)\n"
                      "  raise Gone(u)\n"
                      "def outer(u):\n  for n in range(3):\n    try:\n      return inner(u)\n    except Gone:\n      "
                      "time.sleep(2 ** n)\n"
                      "  raise Gone(u)\n");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_FALSE(has(found[0], "retry-amplification"));
  EXPECT_TRUE(has(found[1], "retry-amplification"));
}

TEST(Verdicts, name_the_few_places_that_treat_an_error_otherwise_than_the_many) {
  std::string text;
  for (auto* name : {"a", "b", "c"})
    text += std::string("def ") + name +
            "(u):\n  for n in range(3):\n    try:\n      return get(u)\n    except Busy:\n      time.sleep(2 ** n)\n  "
            "raise Gone(u)\n";
  text +=
      "def d(u):\n  for n in range(3):\n    try:\n      return get(u)\n    except Busy:\n      raise\n    except "
      "Lost:\n      time.sleep(2 ** n)\n"
      "  raise Gone(u)\n";
  auto found = judged("a.py", text);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_FALSE(has(found[0], "inconsistent-retry"));
  EXPECT_TRUE(has(found[3], "inconsistent-retry"));
}

TEST(Verdicts, each_have_a_rule_that_says_what_right_code_does) {
  for (auto& rule : rules()) {
    EXPECT_FALSE(rule.title.empty());
    EXPECT_FALSE(rule.right.empty());
  }
}

}  // namespace
}  // namespace retrial::scan

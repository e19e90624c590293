#include "campaign/planning/shard.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

namespace retrial::campaign {
namespace {

// Two sites with so many paths each, each path tried under `faults` plans, and as many further on.
Plan plan_of(int paths, int faults) {
  Plan plan;
  for (int n = 0; n < 2 * faults; n++)
    for (auto* file : {"a.py", "b.py"})
      for (int path = 0; path < paths; path++) {
        auto& c = plan.cases.emplace_back();
        c.row.id = fmt::format("c{}", plan.cases.size());
        c.row.site = trace::CallSite{file, 1, "f"};
        c.row.operation = fmt::format("GET /{}", path);
        c.row.plan = fmt::format("error({})", 500 + n);
        c.further = n >= faults;
        c.places.push_back({.test = c.further ? "far" : "near"});
        c.row.test = c.places.front().test;
      }
  return plan;
}

TEST(Shards, are_disjoint_and_together_the_plan_and_about_as_long_as_each_other) {
  for (int of : {1, 2, 3, 7, 50}) {
    auto whole = plan_of(9, 3);
    std::map<std::string, int> times;
    std::map<std::string, std::set<int>> of_target, of_site;
    for (int number = 1; number <= of; number++) {
      auto plan = plan_of(9, 3);
      keep(plan.cases, {number, of});
      for (bool further : {false, true})
        EXPECT_NEAR(std::ranges::count(plan.cases, further, &Case::further), 9. * 2 * 3 / of, 3) << of;
      for (auto& c : plan.cases) {
        times[c.row.id]++;
        of_target[c.target_key()].insert(number);
        if (!c.further) of_site[c.row.site->file].insert(number);
      }
    }
    EXPECT_EQ(times.size(), whole.cases.size());
    for (auto& [id, n] : times) EXPECT_EQ(n, 1) << id;
    for (auto& [target, numbers] : of_target) EXPECT_EQ(numbers.size(), 1u) << target;
    if (of == 2) {
      for (auto& [site, numbers] : of_site) EXPECT_EQ(numbers.size(), 1u) << site;
    }
  }
}

TEST(Shards, of_a_plan_file_are_its_cases_under_their_numbers_whatever_fits_the_suite) {
  std::string text = "version = 1\n";
  for (int n = 0; n < 9; n++)
    text +=
        fmt::format("[[case]]\nservice = 'a:1'\noperation = 'GET /{}'\npolicy = 'P3'\nfault = 'error(503)'\n", n / 2);
  std::set<int> numbers;
  for (int number = 1; number <= 3; number++) {
    auto cases = *parse_plan_file(text, "plan.toml");
    keep(cases, {number, 3});
    for (auto& c : cases) EXPECT_TRUE(numbers.insert(c.number).second);
  }
  EXPECT_EQ(numbers.size(), 9u);
}

TEST(Shards, are_said_as_one_of_many) {
  EXPECT_EQ(show(*parse_shard("2/5")), "2/5");
  EXPECT_NE(parse_shard("3/2").error().line().find("from 1/2 to 2/2 such as 1/2"), std::string::npos);
  EXPECT_TRUE(parse_shard("1/1")->whole());
  for (auto* wrong : {"", "2", "0/5", "6/5", "2/", "/5", "a/b", "2/5/1", "-1/5", "1/1001", "2/5 "})
    EXPECT_TRUE(parse_shard(wrong).error().line().starts_with("--shard: expected which of how many")) << wrong;
}

}  // namespace
}  // namespace retrial::campaign

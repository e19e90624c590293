#include "campaign/planning/targets.h"

#include <gtest/gtest.h>

#include <random>

namespace retrial::campaign {
namespace {

// Who calls what, and when: "test site second".
struct Called {
  int test, site;
};

std::vector<Found> found_of(const std::vector<Called>& calls, const std::vector<int>& seconds) {
  std::map<int, Found> by_site;
  for (std::size_t i = 0; i < calls.size(); i++) {
    auto& [test, site] = calls[i];
    auto& found = by_site[site];
    found.target.site = trace::CallSite{"app.py", site, "f"};
    found.places.push_back({.test = "t" + std::to_string(test),
                            .takes = seconds[static_cast<std::size_t>(test)] * kSecond,
                            .at = static_cast<Nanos>(i)});
  }
  std::vector<Found> out;
  for (auto& [site, found] : by_site) {
    std::ranges::stable_sort(found.places, {}, &Place::takes);
    out.push_back(found);
  }
  return out;
}

// "t0:1 t1:2": which call site in which test.
std::string chosen(const std::vector<Found>& found) {
  std::set<std::string> all;
  for (auto& f : found) all.insert(f.places.front().test + ":" + std::to_string(f.target.site->line));
  std::string out;
  for (auto& one : all) out += (out.empty() ? "" : " ") + one;
  return out;
}
Nanos cost(const std::vector<Found>& found) {
  Nanos all = 0;
  for (auto& f : found) all += f.places.front().takes;
  return all;
}

const std::vector<Called> kCalls{{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 2}};
const std::vector<int> kSeconds{5, 1, 2};

TEST(Coverage, c0_is_every_target_at_any_of_its_places) {
  auto found = covered(found_of(kCalls, kSeconds), "c0");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[1].places.size(), 3u);
}
TEST(Coverage, c1_is_the_first_call_of_each_test) {
  EXPECT_EQ(chosen(covered(found_of(kCalls, kSeconds), "c1")), "t0:1 t1:2 t2:2");
}
TEST(Coverage, c2_is_each_call_site_in_the_cheapest_test) {
  EXPECT_EQ(chosen(covered(found_of(kCalls, kSeconds), "c2")), "t0:1 t1:2 t1:3");
}
TEST(Coverage, c3_has_every_test_and_every_call_site_in_the_least_time) {
  EXPECT_EQ(chosen(covered(found_of(kCalls, kSeconds), "c3")), "t0:1 t1:3 t2:2");
}
TEST(Coverage, c4_is_each_call_site_of_each_test) {
  EXPECT_EQ(chosen(covered(found_of(kCalls, kSeconds), "c4")), "t0:1 t0:2 t1:2 t1:3 t2:2");
}

TEST(Coverage, c4_has_each_thing_that_one_line_asks_for_and_c2_and_c3_the_line_once) {
  auto found = found_of({{0, 1}, {0, 2}}, kSeconds);
  found[1].target.site = found[0].target.site;
  found[0].target.operation = "POST /reservations";
  found[1].target.operation = "POST /deposits";
  EXPECT_EQ(covered(found, "c4").size(), 2u);
  EXPECT_EQ(covered(found, "c2").size(), 1u);
  EXPECT_EQ(covered(found, "c3").size(), 1u);
}

// The least that any set of these edges costs which leaves out no test and no site.
Nanos least(const std::vector<Called>& calls, const std::vector<int>& seconds) {
  std::set<int> tests, sites;
  for (auto& c : calls) tests.insert(c.test), sites.insert(c.site);
  Nanos best = kNoLimit;
  for (unsigned subset = 0; subset < 1u << calls.size(); subset++) {
    std::set<int> t, s;
    Nanos all = 0;
    for (std::size_t i = 0; i < calls.size(); i++)
      if (subset >> i & 1) {
        t.insert(calls[i].test), s.insert(calls[i].site);
        all += seconds[static_cast<std::size_t>(calls[i].test)] * kSecond;
      }
    if (t == tests && s == sites) best = std::min(best, all);
  }
  return best;
}

TEST(Coverage, c3_costs_as_little_as_anything_that_covers_all) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; round++) {
    std::vector<int> seconds;
    for (int t = 0; t < 4; t++) seconds.push_back(static_cast<int>(random() % 9) + 1);
    std::vector<Called> calls;
    for (int t = 0; t < 4; t++)
      for (int s = 0; s < 4; s++)
        if (calls.size() < 11 && random() % 2) calls.push_back({t, s});
    if (calls.empty()) continue;
    EXPECT_EQ(cost(covered(found_of(calls, seconds), "c3")), least(calls, seconds)) << "round " << round;
  }
}

TEST(Coverage, of_5000_tests_and_500_call_sites_is_found_at_once) {
  std::mt19937 random(7);
  std::vector<int> seconds(5000, 1);
  std::vector<Called> calls;
  for (int t = 0; t < 5000; t++)
    for (int i = 0; i < 10; i++) calls.push_back({t, static_cast<int>(random() % 500)});
  auto found = covered(found_of(calls, seconds), "c3");
  EXPECT_EQ(found.size(), 5000u);
}

}  // namespace
}  // namespace retrial::campaign

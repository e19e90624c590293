#include "policies/policy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace retrial::policies {
namespace {

bool before(std::string_view one, std::string_view other) {
  auto place = [](std::string_view name) { return std::ranges::find(policies(), name, &Policy::name); };
  return place(one) < place(other);
}
bool goes_on_as_it_begins(const FaultPlan& plan) { return plan.steps.size() == 1 && plan.steps[0].times == 0; }

TEST(Policies, have_a_name_of_their_own_a_question_and_faults_that_ask_it) {
  std::set<std::string_view> names;
  for (auto& policy : policies()) {
    EXPECT_TRUE(names.insert(policy.name).second) << policy.name;
    EXPECT_TRUE(policy.question.ends_with('?')) << policy.name;
    EXPECT_FALSE(policy.plans.empty() && policy.once_a_site.empty() && policy.once_a_line.empty()) << policy.name;
    EXPECT_GT(policy.value, 0) << policy.name;
  }
}

TEST(Policies, are_found_by_name_in_either_case) {
  for (auto& policy : policies()) {
    std::string name(policy.name);
    EXPECT_EQ(policy_named(name), &policy);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    EXPECT_EQ(policy_named(name), &policy);
  }
  EXPECT_EQ(policy_named("p5"), nullptr);
  EXPECT_EQ(policy_named(""), nullptr);
}

// Under the fault of its first plan it is seen how many attempts a call makes.
TEST(Policies, are_asked_behind_the_one_that_shows_what_they_need_and_it_shows_it) {
  for (auto& policy : policies()) {
    if (!policy.needs.attempts) continue;
    auto* shows = policy_named(policy.needs.shown_by);
    ASSERT_NE(shows, nullptr) << policy.name;
    EXPECT_TRUE(before(shows->name, policy.name)) << policy.name;
    EXPECT_TRUE(shows->by_default || !policy.by_default) << policy.name;
    EXPECT_TRUE(goes_on_as_it_begins(shows->plans.front())) << policy.name;
  }
}

TEST(Policies, plans_parse_back_from_what_the_record_of_a_case_holds) {
  for (auto& policy : policies())
    for (auto* plans : {&policy.plans, &policy.where_it_times_out, &policy.once_a_site, &policy.once_a_line})
      for (auto& plan : *plans) EXPECT_EQ(parse_fault_plan(show(plan)).value(), plan);
}

}  // namespace
}  // namespace retrial::policies

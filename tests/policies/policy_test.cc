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
// More attempts than that are seen under it.
bool fails(const FaultPlan& plan, int attempts) {
  return !plan.steps.empty() && (plan.steps[0].times == 0 || plan.steps[0].times >= attempts);
}

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

// Under the first fault of its first plan it is seen how many attempts a call makes.
TEST(Policies, are_asked_behind_the_one_that_shows_what_they_need_and_it_shows_it) {
  for (auto& policy : policies()) {
    if (!policy.needs.attempts) continue;
    auto* shows = policy_named(policy.needs.shown_by);
    ASSERT_NE(shows, nullptr) << policy.name;
    EXPECT_TRUE(before(shows->name, policy.name)) << policy.name;
    EXPECT_TRUE(shows->by_default || !policy.by_default) << policy.name;
    EXPECT_TRUE(fails(first_plan(*shows), policy.needs.attempts)) << policy.name;
  }
}

// What is told for ever is worth a run only of a client that tries again when it is told so once.
TEST(Policies, too_many_requests_for_ever_are_asked_of_who_tries_again_at_one_and_begin_alike) {
  auto &once = *policy_named("K2"), &always = *policy_named("K4");
  EXPECT_EQ(always.needs.shown_by, once.name);
  EXPECT_EQ(fault_of(first_plan(always), 1), fault_of(first_plan(once), 1));
  EXPECT_EQ(show(first_plan(always)), "error(429)");
}

TEST(Policies, plans_parse_back_from_what_the_record_of_a_case_holds) {
  for (auto& policy : policies())
    for (auto* plans : {&policy.plans, &policy.where_it_times_out, &policy.once_a_site, &policy.once_a_line})
      for (auto& plan : *plans) EXPECT_EQ(parse_fault_plan(show(plan)).value(), plan);
}

}  // namespace
}  // namespace retrial::policies

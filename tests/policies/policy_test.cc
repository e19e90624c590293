#include "policies/policy.h"

#include <gtest/gtest.h>

namespace retrial::policies {
namespace {

std::vector<std::string> shown(const std::vector<FaultPlan>& plans) {
  std::vector<std::string> out;
  for (auto& plan : plans) out.push_back(show(plan));
  return out;
}
using Texts = std::vector<std::string>;

TEST(Policies, are_tried_in_the_order_that_shows_the_cap_first) {
  Texts names;
  for (auto& policy : policies()) names.emplace_back(policy.name);
  EXPECT_EQ(names, (Texts{"P3", "P1", "K1", "P4", "P2", "K3", "N1"}));
}

TEST(Policies, do_to_the_attempts_what_the_table_of_faults_says) {
  EXPECT_EQ(shown(policy_named("P3")->tellings), Texts{"error(transient)"});
  EXPECT_EQ(shown(policy_named("P1")->tellings),
            (Texts{"lost-response(reset) x 1, then pass", "lost-response(error(transient)) x 1, then pass"}));
  EXPECT_EQ(shown(policy_named("K1")->tellings), Texts{"error(transient) x 1, then pass"});
  EXPECT_EQ(shown(policy_named("K3")->tellings), Texts{"error(transient) x 3, then pass"});
  EXPECT_EQ(policy_named("K3")->attempts, 3);
  EXPECT_EQ(shown(policy_named("N1")->tellings), Texts{"error(400)"});
  EXPECT_FALSE(policy_named("N1")->by_default);
  EXPECT_EQ(shown(policy_named("P4")->tellings), Texts{"lost-response(reset) x 1, then error(transient)"});
  EXPECT_EQ(shown(policy_named("P2")->tellings), Texts{"lost-response(reset)"});
  EXPECT_EQ(shown(policy_named("P2")->once_a_site), Texts{"lost-response(stall)"});
  for (auto name : {"P1", "P3", "P4", "K1", "K3", "N1"}) EXPECT_TRUE(policy_named(name)->once_a_site.empty());
}

TEST(Policies, are_found_by_name_in_either_case_and_have_a_question_each) {
  EXPECT_EQ(policy_named("p1"), policy_named("P1"));
  EXPECT_EQ(policy_named("p5"), nullptr);
  EXPECT_EQ(policy_named(""), nullptr);
  for (auto& policy : policies()) EXPECT_TRUE(policy.question.ends_with('?')) << policy.name;
}

TEST(Policies, plans_parse_back_from_what_the_record_of_a_case_holds) {
  for (auto& policy : policies())
    for (auto* tellings : {&policy.tellings, &policy.once_a_site})
      for (auto& plan : *tellings) EXPECT_EQ(parse_fault_plan(show(plan)).value(), plan);
}

}  // namespace
}  // namespace retrial::policies

#include "campaign/planning/schedule.h"

#include <gtest/gtest.h>

namespace retrial::campaign {
namespace {

const auto kDown = *policies::parse_fault_plan("error(503)");
const auto kDownThenUp = *policies::parse_fault_plan("error(503) x 1, then pass");
const auto kLost = *policies::parse_fault_plan("lost-response(reset)");

class Scheduling : public testing::Test {
 protected:
  Case& add(const policies::Policy& policy, const policies::FaultPlan& plan, std::string operation = "GET /a",
            Nanos expected = kSecond) {
    Case c;
    c.row.id = "c" + std::to_string(cases_.size() + 1);
    c.row.policy = policy.name;
    c.row.plan = policies::show(plan);
    c.row.operation = std::move(operation);
    c.row.service = "127.0.0.1:8000";
    c.row.outcome = "planned";
    c.faults = plan;
    c.policy = &policy;
    c.value = policy.value;
    c.places = {{.test = "t", .takes = expected}};
    if (std::ranges::find(tried_, &policy) == tried_.end()) tried_.push_back(&policy);
    return cases_.emplace_back(std::move(c));
  }
  Schedule& schedule() {
    if (!schedule_) schedule_.emplace(cases_, tried_);
    return *schedule_;
  }
  // What is given out next, as if each were run.
  std::string order() {
    std::string out;
    for (auto cases = schedule().next(); !cases.empty(); cases = schedule().next())
      for (auto* c : cases) {
        out += c->row.id + " ";
        c->row.outcome = "run";
      }
    return out;
  }

  policies::Policy good_{.name = "good", .value = 2}, poor_{.name = "poor", .value = 1},
      late_{.name = "late", .value = 9, .needs = {.attempts = 3, .shown_by = "poor"}};
  std::vector<Case> cases_;
  std::vector<const policies::Policy*> tried_;
  std::optional<Schedule> schedule_;
};

TEST_F(Scheduling, the_case_with_the_most_value_for_its_time_comes_first) {
  add(good_, kDown, "GET /a", 9 * kSecond);
  add(poor_, kDown, "PUT /a");
  add(good_, kLost, "DELETE /a");
  EXPECT_EQ(order(), "c3 c2 c1 ");
}

TEST_F(Scheduling, equals_come_in_the_order_of_the_plan) {
  add(good_, kDown, "GET /a");
  add(good_, kDown, "PUT /a");
  EXPECT_EQ(order(), "c1 c2 ");
}

TEST_F(Scheduling, each_further_case_of_a_family_counts_for_less) {
  add(good_, kDown, "GET /a");
  add(good_, kDown, "GET /b");
  add(good_, kDown, "GET /c");
  add(poor_, kDown, "PUT /a");
  EXPECT_EQ(order(), "c1 c2 c4 c3 ") << "half of 2 is as much as 1, a third is less";
}

TEST_F(Scheduling, a_policy_that_needs_something_of_earlier_cases_waits_until_all_others_were_given_out) {
  add(late_, kDown);
  add(poor_, kDown, "PUT /a", 60 * kSecond);
  add(late_, kDown, "DELETE /a");
  EXPECT_EQ(order(), "c2 c1 c3 ");
}

TEST_F(Scheduling, those_that_begin_alike_at_one_call_are_given_out_one_after_another) {
  add(good_, kDown);
  add(poor_, kDownThenUp);
  add(poor_, kLost);
  auto first = schedule().next();
  EXPECT_EQ(first, (std::vector<Case*>{&cases_[0], &cases_[2]}));
  for (auto* c : first) c->under_way = true;
  EXPECT_TRUE(schedule().next().empty());
  cases_[0].row.outcome = "run";
  cases_[0].under_way = false;
  EXPECT_EQ(schedule().next(), (std::vector<Case*>{&cases_[1]}));
}

TEST_F(Scheduling, a_call_with_one_attempt_answers_what_would_be_done_to_later_ones) {
  add(poor_, kDown);
  add(good_, kDownThenUp);
  add(good_, kLost);
  add(good_, kDownThenUp, "PUT /a");
  EXPECT_EQ(schedule().answered(cases_[1]), "");
  schedule().ran(cases_[0], 1);
  EXPECT_EQ(
      schedule().answered(cases_[1]),
      "under error(503) this call makes 1 attempt (case c1): nothing more is sent that could be treated otherwise");
  EXPECT_EQ(schedule().answered(cases_[0]), "") << "by itself, where its run did not count";
  EXPECT_EQ(schedule().answered(cases_[2]), "") << "another first fault";
  EXPECT_EQ(schedule().answered(cases_[3]), "") << "another call";
  schedule().ran(cases_[0], 2);
  EXPECT_EQ(schedule().answered(cases_[1]), "");
}

TEST_F(Scheduling, what_another_policy_shows_is_looked_up_under_its_fault) {
  add(*policies::policy_named("P3"), *policies::parse_fault_plan("error(transient)"));
  add(*policies::policy_named("N1"), *policies::parse_fault_plan("error(400)"));
  schedule().ran(cases_[0], 1);
  EXPECT_NE(schedule().answered(cases_[1]).find("under error(transient) this call makes 1 attempt"), std::string::npos);
  schedule().ran(cases_[0], 2);
  EXPECT_EQ(schedule().answered(cases_[1]), "");
}

TEST_F(Scheduling, too_many_requests_for_ever_wait_for_a_call_that_is_sent_again_after_one) {
  add(*policies::policy_named("K2"), *policies::parse_fault_plan("error(429) x 1, then pass"));
  add(*policies::policy_named("K4"), *policies::parse_fault_plan("error(429)"));
  EXPECT_NE(schedule().answered(cases_[1]).find("not seen how many attempts this call makes under error(429)"),
            std::string::npos);
  schedule().ran(cases_[0], 1);
  EXPECT_NE(schedule().answered(cases_[1]).find("under error(429) this call makes 1 attempt"), std::string::npos);
  schedule().ran(cases_[0], 2);
  EXPECT_EQ(schedule().answered(cases_[1]), "");
}

TEST_F(Scheduling, a_policy_that_needs_attempts_is_asked_only_of_calls_that_were_seen_to_make_more) {
  add(poor_, kDown);
  add(late_, kDownThenUp);
  EXPECT_EQ(schedule().answered(cases_[1]), "it was not seen how many attempts this call makes under error(503)");
  schedule().ran(cases_[0], 0);
  EXPECT_NE(schedule().answered(cases_[1]), "") << "the fault did not fire";
  schedule().ran(cases_[0], 3);
  EXPECT_NE(schedule().answered(cases_[1]).find("makes 3 attempts (case c1)"), std::string::npos);
  schedule().ran(cases_[0], 4);
  EXPECT_EQ(schedule().answered(cases_[1]), "");
}

TEST_F(Scheduling, where_the_policy_that_would_show_them_is_not_tried_every_call_is_asked) {
  add(late_, kDownThenUp);
  EXPECT_EQ(schedule().answered(cases_[0]), "");
}

}  // namespace
}  // namespace retrial::campaign

#include "oracles/polls.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/oracles/runs.h"

namespace retrial::oracles {
namespace {

constexpr auto kWhy =
    "this request is sent again after a success, as a poll does: what follows the fault may be a retry or the next "
    "look";

// A job is asked for once a second until it is done.
void looks(Tale& tale, int times) {
  for (int i = 0; i < times; i++) tale.call("wait", "GET", "/jobs/1").answers(200).waits(kSecond);
}
// The first look meets the fault, and `more` follow.
Trial poll(int usual, int more) {
  Trial t("K1", "error(transient) x 1, then pass");
  looks(t.reference, usual);
  t.in_case().call("wait", "GET", "/jobs/1").gets_error().waits(kSecond);
  looks(t.in_case(), more);
  t.in_case().passes();
  return t;
}

TEST(Polls, that_met_the_fault_and_looked_once_more_are_not_judged_and_nothing_is_noted) {
  auto t = poll(3, 3);
  auto judgement = t.judge();
  ASSERT_EQ(judgement.not_judged.size(), 1u);
  auto& open = judgement.not_judged[0];
  EXPECT_EQ(open.why, kWhy);
  EXPECT_EQ(open.operation, "GET /jobs/{id}");
  EXPECT_EQ(open.policy, "K1");
  EXPECT_EQ(open.fault, "error(transient) x 1, then pass");
  EXPECT_TRUE(judgement.notes.empty()) << judgement.notes[0].verdict;
}

TEST(Polls, that_looked_no_more_than_without_the_fault_are_judged) {
  auto judgement = poll(3, 2).judge();
  EXPECT_TRUE(judgement.not_judged.empty());
  EXPECT_TRUE(judgement.notes.empty()) << "the next look came";
  judgement = poll(3, 0).judge();
  ASSERT_EQ(judgement.notes.size(), 1u);
  EXPECT_EQ(judgement.notes[0].verdict, "not-retried-transient");
}

TEST(Polls, whose_attempts_an_id_told_from_their_looks_are_judged) {
  Trial t("K1", "error(transient) x 1, then pass");
  looks(t.reference, 3);
  t.in_case().call("wait", "GET", "/jobs/1").gets_error().again(kSecond).answers(200);
  looks(t.in_case(), 3);
  t.in_case().passes();
  EXPECT_EQ(t.why_not(), "");
}

TEST(Polls, of_which_something_was_found_are_no_open_question) {
  auto t = poll(3, 3);
  t.in_case().run().results.clear();
  t.in_case().fails({thrown("builtins.KeyError", "'id'")});
  EXPECT_EQ(t.verdicts(), "unrelated-exception likely");
  EXPECT_EQ(t.why_not(), "");
}

TEST(Polls, are_known_by_the_reference_and_a_request_that_follows_itself_under_the_fault_alone_is_none) {
  auto judgement = poll(1, 3).judge();
  EXPECT_TRUE(judgement.not_judged.empty());
}

TEST(Polls, of_a_run_without_a_reference_are_known_by_the_run_itself) {
  auto t = poll(0, 3);
  EXPECT_EQ(t.why_not(), kWhy);
  EXPECT_EQ(poll(0, 1).why_not(), "") << "nothing was sent again after a success";
}

TEST(Polls, of_traffic_whose_processes_are_not_known_are_known_by_a_reference_alone) {
  auto without = poll(0, 3), with = poll(3, 3);
  for (auto* t : {&without, &with})
    for (auto* run : {&t->in_case().run(), &t->reference.run()})
      for (auto& e : run->exchanges) e.pid = 0;
  EXPECT_EQ(without.why_not(), "");
  EXPECT_EQ(with.why_not(), kWhy);
}

TEST(Polls, leave_what_is_said_of_other_calls_as_it_is) {
  auto t = poll(3, 3);
  t.reference.run().results.clear();
  t.reference.call("get", "GET", "/orders").answers(200).passes();
  t.in_case().call("get", "GET", "/orders").gets_error();
  auto judgement = t.judge();
  ASSERT_EQ(judgement.notes.size(), 1u);
  EXPECT_EQ(judgement.notes[0].operation, "GET /orders");
  ASSERT_EQ(judgement.not_judged.size(), 1u);
  EXPECT_EQ(judgement.not_judged[0].operation, "GET /jobs/{id}");
}

// Three calls that each meet the fault once and come again, of which nothing names one.
Trial unnamed(int named) {
  Trial t("serve", "error(503)");
  for (int i = 0; i < 3; i++) {
    t.in_case().call("load", "GET", "/things/lamp").gets_error().waits(kSecond);
    if (i < named) {
      t.in_case().again(kSecond).answers(200);
    } else {
      t.in_case().call("load", "GET", "/things/lamp").answers(200);
      t.in_case().last().confidence = trace::Confidence::possible;
    }
    t.in_case().waits(kSecond / 3);
  }
  for (auto& e : t.in_case().run().exchanges) e.pid = 0;  // clients of serve
  return t;
}

TEST(OpenCalls, of_which_nothing_says_whether_they_were_sent_again_are_not_judged) {
  auto judgement = unnamed(0).judge();
  ASSERT_EQ(judgement.not_judged.size(), 1u);
  EXPECT_EQ(judgement.not_judged[0].why,
            "the same request came again after the failure, and nothing says whether that was a retry or another call");
  EXPECT_TRUE(judgement.notes.empty()) << judgement.notes[0].verdict;
}

TEST(OpenCalls, leave_those_beside_them_that_are_known_for_retries) {
  auto judgement = unnamed(2).judge();
  EXPECT_TRUE(judgement.not_judged.empty()) << judgement.not_judged[0].why;
  EXPECT_TRUE(judgement.notes.empty()) << judgement.notes[0].verdict;
}

}  // namespace
}  // namespace retrial::oracles

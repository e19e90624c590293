#include <gtest/gtest.h>

#include <csignal>

#include "tests/oracles/runs.h"

namespace retrial::oracles {
namespace {
using trace::Stop;
using trace::Telling;

Trial held(Nanos hold) {
  Trial t("P2", "lost-response(stall)");
  t.hold = hold;
  t.reference.call("status", "GET", "/tracking/1").answers(200);
  t.in_case().call("status", "GET", "/tracking/1").is_lost(Telling::stall, 200).waits(hold).stops(Stop::held);
  return t;
}

TEST(MissingTimeout, a_client_that_left_a_held_exchange_untouched_is_possible_with_the_seconds) {
  auto t = held(30 * kSecond);
  EXPECT_EQ(t.verdicts(), "missing-timeout possible");
  EXPECT_NE(t.judge().findings[0].message.find("was not answered for 30.0 s"), std::string::npos)
      << t.judge().findings[0].message;
}

TEST(MissingTimeout, a_connection_that_closed_when_the_run_was_ended_was_left_untouched_until_then) {
  auto t = held(30 * kSecond);
  t.in_case().client_leaves(40 * kMillisecond);
  EXPECT_EQ(t.verdicts(), "missing-timeout possible");
}

TEST(MissingTimeout, a_hold_longer_than_any_right_default_makes_it_likely) {
  EXPECT_EQ(held(310 * kSecond).verdicts(), "missing-timeout likely");
  EXPECT_EQ(held(309 * kSecond).verdicts(), "missing-timeout possible");
}

TEST(MissingTimeout, a_client_that_gave_up_has_one) {
  Trial t("P2", "lost-response(stall)");
  t.reference.call("status", "GET", "/tracking/1").answers(200);
  t.in_case().call("status", "GET", "/tracking/1").is_lost(Telling::stall, 200).client_leaves(5 * kSecond);
  t.in_case().fails({thrown("requests.exceptions.ReadTimeout", "Read timed out. (read timeout=5)")});
  EXPECT_EQ(t.verdicts(), "");
}

TEST(MissingTimeout, a_client_that_gave_up_an_earlier_attempt_has_one_though_it_keeps_the_last_ones_socket) {
  auto t = held(30 * kSecond);
  t.in_case().run().exchanges.clear();
  t.in_case().call("status", "GET", "/tracking/1").is_held().client_leaves(3 * kSecond);
  t.in_case().again(kMillisecond).is_held().waits(32 * kSecond);
  EXPECT_EQ(t.verdicts(), "");
}

TEST(MissingTimeout, is_stated_of_the_call_that_was_held_and_no_other) {
  auto t = held(30 * kSecond);
  t.in_case().run().exchanges.clear();
  t.in_case().call("other", "GET", "/other").gets_error();
  t.in_case().call("status", "GET", "/tracking/1").is_held().waits(30 * kSecond);
  auto judgement = t.judge();
  ASSERT_EQ(judgement.findings.size(), 1u);
  EXPECT_EQ(judgement.findings[0].operation, "GET /tracking/{id}");
}

TEST(MissingTimeout, a_call_whose_client_gave_up_is_none_though_another_held_the_run) {
  auto t = held(30 * kSecond);
  t.in_case().run().exchanges.clear();
  t.in_case().call("status", "GET", "/tracking/1").is_held().client_leaves(kSecond);
  t.in_case().call("other", "GET", "/other").is_held().waits(30 * kSecond);
  auto judgement = t.judge();
  ASSERT_EQ(judgement.findings.size(), 1u);
  EXPECT_EQ(judgement.findings[0].operation, "GET /other");
}

TEST(MissingTimeout, a_run_that_ended_for_another_reason_is_none) {
  auto t = held(30 * kSecond);
  t.in_case().stops(Stop::deadline);
  EXPECT_EQ(t.verdicts(), "");
}

Trial after_a_loss() {
  Trial t;
  t.reference.call("get", "GET", "/orders/1").answers(200);
  t.in_case().call("get", "GET", "/orders/1").is_lost(Telling::reset, 200);
  return t;
}

TEST(Hang, an_idle_tree_that_does_not_end_is_likely) {
  auto t = after_a_loss();
  t.in_case().waits(65 * kSecond).stops(Stop::hung);
  EXPECT_EQ(t.verdicts(), "hang likely");
  EXPECT_NE(t.judge().findings[0].message.find("nothing more happened for 1 min 5 s"), std::string::npos)
      << t.judge().findings[0].message;
}

TEST(Hang, of_a_process_whose_clock_could_not_be_moved_is_possible) {
  auto verdicts = [](const char* process) {
    Trial t("K1", "error(transient) x 1, then pass");
    t.reference.call("put", "PUT", "/stock/lamp").answers(200).passes();
    t.in_case().call("put", "PUT", "/stock/lamp").gets_error();
    t.in_case().waits(90 * kSecond).stops(trace::Stop::hung, 137).run().real_time = {process};
    return t.verdicts();
  };
  EXPECT_EQ(verdicts("members[100] (static)"), "hang possible");
  EXPECT_EQ(verdicts("other[101] (static)"), "hang likely");
}

TEST(Hang, who_was_told_to_come_back_later_and_waits_unseen_is_none) {
  auto waits = [](int retry_after, Nanos time) {
    Trial t("R1", "error(429, retry-after=60)");
    t.reference.call("feed", "PUT", "/feeds/a").answers(200);
    t.in_case().call("feed", "PUT", "/feeds/a").gets_error(429, retry_after).waits(time).stops(Stop::hung, 137);
    t.in_case().run().real_time = {"feeds[100] (static)"};
    return t.verdicts();
  };
  EXPECT_EQ(waits(60, 65 * kSecond), "");
  EXPECT_EQ(waits(60, 130 * kSecond), "hang possible");
  EXPECT_EQ(waits(1, 65 * kSecond), "hang possible");
}

TEST(Hang, beside_a_watch_that_says_nothing_is_one) {
  auto t = after_a_loss();
  t.in_case().call("watch", "POST", "/watch").answers(200);
  t.in_case().waits(65 * kSecond).stops(Stop::hung);
  auto& run = t.in_case().run();
  run.exchanges.back().ending = trace::Ending::client_left;  // as it was ended
  run.exchanges.back().told += 65 * kSecond;
  EXPECT_EQ(t.verdicts(), "hang likely");
  EXPECT_NE(t.judge().findings[0].message.find("nothing came on the answer to POST /watch"), std::string::npos)
      << t.judge().findings[0].message;
}

TEST(Hang, who_went_on_just_as_it_was_ended_stood_not_still) {
  auto t = after_a_loss();
  t.in_case().waits(2 * 86400 * kSecond).again(kSecond).gets_error(503).stops(Stop::hung);
  EXPECT_EQ(t.verdicts(), "");
  EXPECT_NE(t.why_not().find("it went on just as it was ended"), std::string::npos) << t.why_not();
}

TEST(Hang, what_does_not_end_without_faults_either_is_left_open) {
  auto t = after_a_loss();
  t.reference.stops(Stop::deadline);
  t.in_case().waits(65 * kSecond).stops(Stop::hung);
  EXPECT_EQ(t.verdicts(), "");
  EXPECT_NE(t.why_not().find("without faults it did not end by itself either"), std::string::npos) << t.why_not();
}

TEST(Hang, of_a_process_that_a_failed_test_left_something_open_in_is_none_and_the_test_is_judged) {
  for (bool open : {false, true}) {
    auto t = after_a_loss();
    t.in_case().fails({thrown("app.OrderError", "no such order")}).waits(65 * kSecond).stops(Stop::hung);
    auto& stages = t.in_case().run().stages;
    stages = {{kTest, trace::Phase::test, 100, true}, {kTest, trace::Phase::test, 100, false}};
    if (open) stages.push_back({kTest, trace::Phase::teardown, 100, true});
    EXPECT_EQ(t.verdicts(), open ? "hang likely" : "unrelated-exception likely");
  }
  auto passed = after_a_loss();
  passed.in_case().passes().waits(65 * kSecond).stops(Stop::hung);
  EXPECT_EQ(passed.verdicts(), "hang likely") << "something of the application's waits";
}

TEST(Hang, at_a_deadline_a_call_that_is_over_is_judged) {
  Trial t;
  t.reference.call("get", "GET", "/orders/1").answers(200);
  auto& served = t.in_case().call("get", "GET", "/orders/1").gets_error(503);
  served.again(kSecond).answers(200);
  served.waits(3000 * kSecond).stops(Stop::deadline);
  EXPECT_EQ(t.verdicts(), "");
  EXPECT_EQ(t.judge().not_judged.size(), 0u);
}

TEST(Hang, a_deadline_is_no_verdict) {
  auto t = after_a_loss();
  t.in_case().waits(120 * kSecond).stops(Stop::deadline);
  EXPECT_EQ(t.verdicts(), "");
  EXPECT_NE(t.why_not().find("the run was ended after 2 min and 1 attempt"), std::string::npos) << t.why_not();
}

TEST(Hang, a_promise_that_was_never_settled_is_possible) {
  auto t = after_a_loss();
  t.in_case().fails({thrown("Error", "Promise resolution is still pending but the event loop has already resolved",
                            "ERR_TEST_FAILURE")});
  EXPECT_EQ(t.verdicts(), "hang possible");
}

TEST(Crash, a_signal_is_certain_and_one_from_outside_is_not_judged) {
  for (int signal : {SIGSEGV, SIGABRT, SIGPIPE}) {
    auto t = after_a_loss();
    t.in_case().stops(Stop::signalled, signal);
    EXPECT_EQ(t.verdicts(), "crash certain");
  }
  for (int signal : {SIGKILL, SIGTERM, SIGINT}) {
    auto t = after_a_loss();
    t.in_case().stops(Stop::signalled, signal);
    EXPECT_EQ(t.verdicts(), "");
    EXPECT_NE(t.why_not().find("by a signal from outside"), std::string::npos);
  }
}

TEST(Crash, a_signal_told_by_a_shell_counts_where_the_test_had_no_result) {
  auto t = after_a_loss();
  t.in_case().stops(Stop::exited, 128 + SIGSEGV);
  EXPECT_EQ(t.verdicts(), "crash certain");
}

TEST(Crash, a_runner_that_broke_before_the_test_had_a_result_is_likely) {
  auto t = after_a_loss();
  t.in_case().stops(Stop::exited, 7);
  EXPECT_EQ(t.verdicts(), "crash likely");
}

TEST(Crash, a_test_that_failed_or_passed_is_no_crash_whatever_the_status) {
  auto failed = after_a_loss();
  failed.in_case().fails({thrown("ConnectionError", "Connection reset by peer")}).stops(Stop::exited, 1);
  EXPECT_EQ(failed.verdicts(), "");
  auto passed = after_a_loss();
  passed.in_case().passes().stops(Stop::exited, 1);  // coverage below its threshold, say
  EXPECT_EQ(passed.verdicts(), "");
  auto no_results = after_a_loss();
  no_results.reference.run().results.push_back({.test = "another", .outcome = "passed"});
  no_results.in_case().stops(Stop::exited, 1);
  EXPECT_EQ(no_results.verdicts(), "");
}

TEST(Crash, a_test_file_that_could_not_be_loaded_is_not_judged) {
  auto t = after_a_loss();
  t.in_case().stops(Stop::exited, 2);
  t.in_case().run().broken = {"tests/test_orders.py: ConnectionError"};
  EXPECT_EQ(t.verdicts(), "");
  EXPECT_EQ(t.why_not(), "a test file could not be loaded: tests/test_orders.py: ConnectionError");
}

TEST(Crash, a_run_that_we_ended_is_none) {
  for (auto stop : {Stop::held, Stop::capped, Stop::deadline, Stop::hung}) {
    auto t = after_a_loss();
    t.in_case().stops(stop, 1);
    EXPECT_EQ(t.verdicts().find("crash"), std::string::npos);
  }
}

TEST(Crash, an_error_event_to_which_nobody_listens_ends_the_process_where_no_runner_catches_it) {
  for (auto* code : {"ERR_UNHANDLED_ERROR", "ERR_OTHER"}) {
    auto t = after_a_loss();
    t.in_case().fails({thrown("Error", "Unhandled error event", code)});
    EXPECT_EQ(t.verdicts().contains("crash likely"), std::string(code) == "ERR_UNHANDLED_ERROR") << t.verdicts();
  }
}

TEST(Crash, of_the_command_itself_by_a_fault_that_ends_its_sender_is_not_judged) {
  Trial t("TOF", "crash(executed) x 1, then pass");
  t.reference.call("put", "PUT", "/docs/1").answers(201);
  t.in_case().call("put", "PUT", "/docs/1").dies(201).stops(Stop::signalled, SIGKILL);
  EXPECT_EQ(t.verdicts(), "");
  EXPECT_NE(t.why_not().find("the command itself"), std::string::npos) << t.why_not();
}

TEST(Hang, is_open_where_the_run_was_ended_for_what_another_call_asks_again_and_again) {
  Trial t("P3", "error(503) x 1, then pass");
  for (auto* tale : {&t.reference, &t.in_case()}) tale->call("put", "PUT", "/docs/1");
  t.reference.answers(201);
  t.in_case().gets_error().again(kSecond).answers(201);
  t.reference.call("wait", "GET", "/grants/1").answers(200);
  for (int i = 0; i < 5; i++) t.in_case().call("wait", "GET", "/grants/1").answers(404).waits(kSecond);
  t.in_case().stops(Stop::capped);
  EXPECT_EQ(t.verdicts(), "");
  EXPECT_NE(t.why_not().find("5 requests of GET /grants/{id}"), std::string::npos) << t.why_not();
}

}  // namespace
}  // namespace retrial::oracles

#include <gtest/gtest.h>

#include "tests/oracles/runs.h"

namespace retrial::oracles {
namespace {

// Every attempt is answered 503; gaps in microseconds.
void tell(Tale& tale, const std::vector<int>& gaps_us) {
  tale.call("product", "GET", "/products/lamp").gets_error();
  for (auto gap : gaps_us) tale.again(Nanos{gap} * 1000).gets_error();
  tale.fails({thrown("requests.exceptions.RetryError", "too many 503 error responses")});
}
Trial with_gaps(const std::vector<std::vector<int>>& runs) {
  Trial t("P3", "error(transient)");
  t.reference.call("product", "GET", "/products/lamp").answers(200);
  for (std::size_t i = 0; i < runs.size(); i++) tell(i ? t.one_more() : t.in_case(), runs[i]);
  return t;
}

TEST(MissingDelay, six_gaps_after_the_first_retry_all_next_to_nothing_are_likely) {
  auto t = with_gaps({{300, 200, 300, 100, 400, 900, 2000}});
  EXPECT_EQ(t.verdicts(), "missing-delay likely");
  auto judgement = t.judge();
  EXPECT_EQ(judgement.findings[0].attempts, 8);
  EXPECT_NE(
      judgement.findings[0].message.find(
          "was sent 8 times while it was answered 503: 6 gaps after the first retry, median 0.3 ms, longest 2.0 ms"),
      std::string::npos)
      << judgement.findings[0].message;
  EXPECT_EQ(judgement.findings[0].advice.find("shorten"), std::string::npos);
}

TEST(MissingDelay, a_case_with_too_few_gaps_is_repeated_until_there_are_enough) {
  auto t = with_gaps({{0, 0, 0, 0, 0}});
  EXPECT_EQ(t.verdicts(), "");
  EXPECT_TRUE(t.judge().needs_more_runs);
  EXPECT_NE(t.why_not().find("only 4 gaps after the first retry in 1 run"), std::string::npos) << t.why_not();
  ASSERT_EQ(t.judge().leaning.size(), 1u);
  EXPECT_EQ(t.judge().leaning[0].verdict, "missing-delay");
  tell(t.one_more(), {0, 0, 0, 0, 0});
  EXPECT_EQ(t.verdicts(), "missing-delay likely");
  EXPECT_FALSE(t.judge().needs_more_runs);
}

TEST(MissingDelay, a_case_is_not_repeated_where_one_gap_already_shows_a_delay) {
  EXPECT_FALSE(with_gaps({{0, 200'000, 400'000}}).judge().needs_more_runs);
  EXPECT_FALSE(with_gaps({{0, 61'000}}).judge().needs_more_runs);
  EXPECT_TRUE(with_gaps({{0, 61'000}}).judge().leaning.empty());
  EXPECT_TRUE(with_gaps({{0, 5'000}}).judge().needs_more_runs);
}

TEST(MissingDelay, repeating_ends_and_then_says_that_it_could_not_be_judged) {
  auto t = with_gaps({{0, 5'000}, {0, 5'000}, {0, 5'000}, {0}, {0}, {0}});
  EXPECT_EQ(t.verdicts(), "");
  EXPECT_FALSE(t.judge().needs_more_runs);
  EXPECT_NE(t.why_not().find("only 3 gaps after the first retry in 6 runs"), std::string::npos) << t.why_not();
}

TEST(MissingDelay, a_client_with_one_retry_is_not_judged) {
  auto t = with_gaps({{0}, {0}, {0}});
  EXPECT_EQ(t.verdicts(), "");
  EXPECT_FALSE(t.judge().needs_more_runs);
  EXPECT_EQ(t.why_not(), "");
}

TEST(MissingDelay, an_immediate_first_retry_before_a_back_off_is_right) {
  EXPECT_EQ(with_gaps({{3000, 4'006'000, 12'009'000}}).verdicts(), "");
}

TEST(MissingDelay, full_jitter_is_not_taken_for_it) {
  // As measured of an SDK that waits rand(0..100) ms before its second retry.
  EXPECT_EQ(
      with_gaps(
          {{17'000, 5'000}, {38'000, 9'000}, {33'000, 84'000}, {21'000, 50'000}, {7'000, 84'000}, {4'000, 15'000}})
          .verdicts(),
      "");
  EXPECT_EQ(with_gaps({{0, 58'000, 59'000, 20'000, 30'000, 1'000, 2'000}}).verdicts(), "");
}

TEST(MissingDelay, one_gap_that_is_a_delay_ends_it) {
  EXPECT_EQ(with_gaps({{0, 1'000, 2'000, 70'000, 1'000, 1'000, 1'000}}).verdicts(), "");
}

TEST(MissingDelay, a_loaded_machine_does_not_hide_it) {
  EXPECT_EQ(with_gaps({{380'000, 12'000, 55'000, 1'000, 2'000, 30'000, 3'000}}).verdicts(), "missing-delay likely");
}

TEST(MissingDelay, gaps_after_a_lost_connection_do_not_count) {
  Trial t("P2", "lost-response(reset)");
  t.reference.call("product", "GET", "/products/lamp").answers(200);
  auto& c = t.in_case().call("product", "GET", "/products/lamp").is_lost(trace::Telling::reset, 200);
  for (int i = 0; i < 8; i++) c.again(0).is_lost(trace::Telling::reset, 200);
  c.fails({thrown("ConnectionError", "Connection reset by peer")});
  EXPECT_EQ(t.verdicts(), "");
  EXPECT_FALSE(t.judge().needs_more_runs);
}

TEST(MissingDelay, going_to_the_next_host_at_once_is_right) {
  auto t = with_gaps({{0, 0, 0, 0, 0, 0, 0, 0}});
  int n = 0;
  for (auto& e : t.in_case().run().exchanges) e.host = "127.0.0.1:900" + std::to_string(n++);
  EXPECT_EQ(t.verdicts(), "");
}

TEST(MissingDelay, a_transport_that_sends_each_attempt_twice_is_judged_by_the_gaps_between_its_pairs) {
  EXPECT_EQ(with_gaps({{1'000, 1'000'000, 1'000, 1'000'000, 1'000, 1'000'000, 1'000, 1'000'000, 1'000}}).verdicts(),
            "retry-amplification likely");
}

TEST(MissingDelay, is_never_surer_than_the_correlation_that_these_are_attempts_of_one_call) {
  auto t = with_gaps({{0, 0, 0, 0, 0, 0, 0, 0}});
  t.in_case().last().confidence = trace::Confidence::possible;
  EXPECT_EQ(t.verdicts(), "missing-delay possible");
}

TEST(MissingDelay, a_delay_of_some_milliseconds_may_be_the_suites_own_doing_and_the_finding_says_so) {
  auto t = with_gaps({{0, 12'000, 12'000, 13'000, 12'000, 15'000, 14'000}});
  ASSERT_EQ(t.verdicts(), "missing-delay likely");
  EXPECT_NE(t.judge().findings[0].advice.find("where the tests shorten"), std::string::npos);
}

TEST(MissingCap, more_than_1000_attempts_of_one_call_are_likely_and_150_that_were_cut_short_possible) {
  auto verdicts = [](std::size_t retries, int gap_us, bool cut = false) {
    auto t = with_gaps({std::vector<int>(retries, gap_us)});
    if (cut) t.in_case().stops(trace::Stop::capped);
    return t.verdicts();
  };
  EXPECT_EQ(verdicts(1000, 100'000), "missing-cap likely, no-backoff likely");
  EXPECT_EQ(verdicts(999, 100'000), "no-backoff likely") << "it gave up by itself";
  EXPECT_EQ(verdicts(150, 100'000, true), "no-backoff likely, missing-cap possible");
  EXPECT_EQ(verdicts(149, 100'000, true), "no-backoff likely, note cap-not-seen certain");
  EXPECT_EQ(verdicts(1000, 0), "missing-cap likely, missing-delay likely");
}

TEST(MissingCap, pairs_of_a_transport_count_once) {
  Trial t("P2", "reset(after-request)");
  t.reference.call("product", "GET", "/products/lamp").answers(200);
  t.in_case().call("product", "GET", "/products/lamp").is_reset();
  for (int i = 0; i < 90; i++) {
    t.in_case().again(kMillisecond).is_reset();
    t.in_case().again((i + 1) * kSecond / 10).is_reset();
  }
  EXPECT_EQ(t.verdicts(), "retry-amplification possible");
}

TEST(MissingCap, a_client_that_was_still_retrying_when_its_run_was_cut_is_a_note) {
  auto t = with_gaps({{1'000'000, 2'000'000, 4'000'000}});
  EXPECT_EQ(t.verdicts(), "");
  t.in_case().stops(trace::Stop::deadline);
  EXPECT_EQ(t.verdicts(), "note cap-not-seen certain");
  EXPECT_NE(t.judge().notes[0].message.find("within 4 attempts / 7.0 s"), std::string::npos)
      << t.judge().notes[0].message;
  EXPECT_NE(t.why_not().find("in back-off, its last gap was 4.0 s"), std::string::npos) << t.why_not();
}

// As measured of a client that asks for a lock, and takes the service's 409 for a reason to ask at once again.
// A client that gets a new token and asks once more, and once more.
TEST(MissingCap, is_told_where_who_is_refused_asks_anew_without_end_and_once_more_is_right) {
  auto refused = [](int times, bool one = true) {
    Trial t("N2", "error(401)");
    t.reference.call("get", "GET", "/accounts/1").answers(200);
    for (int n = 0; n < times; n++) {
      t.in_case().call("get", "GET", "/accounts/" + std::to_string(one ? 1 : n)).gets_error(401);
      t.in_case().call("login", "POST", "/token").answers(200);
    }
    t.in_case().fails({thrown("app.Rejected", "you are not known")});
    return t.verdicts();
  };
  EXPECT_EQ(refused(200), "missing-cap likely");
  EXPECT_EQ(refused(2), "");
  EXPECT_EQ(refused(200, false), "") << "a list of them";
}

TEST(MissingCap, is_told_where_the_services_own_error_is_asked_for_without_end_after_the_fault_has_passed) {
  auto asked = [](int times, trace::Stop stop, int status) {
    Trial t("P1", "lost-response(error(503)) x 1, then pass");
    t.reference.call("lock", "POST", "/lock").answers(201);
    t.in_case().call("lock", "POST", "/lock").is_lost(trace::Telling::error, 201);
    for (int i = 0; i < times; i++) t.in_case().call("lock", "POST", "/lock").answers(status);
    t.in_case().stops(stop);
    auto told = t.verdicts();
    return told.contains("missing-cap likely");
  };
  EXPECT_TRUE(asked(300, trace::Stop::capped, 409));
  EXPECT_FALSE(asked(300, trace::Stop::exited, 409)) << "it came to an end";
  EXPECT_FALSE(asked(100, trace::Stop::capped, 409));
  EXPECT_FALSE(asked(300, trace::Stop::capped, 200));
}

TEST(MissingDelay, a_go_test_that_told_of_each_attempt_has_asked_again_itself) {
  auto asked = [](const char* agent, int told) {
    Trial t("P3", "error(503)");
    t.reference.call("get", "GET", "/parts/1").answers(200);
    t.in_case().run().agents = {agent};
    t.in_case().call("get", "GET", "/parts/1").gets_error();
    for (int i = 0; i < 7; i++) t.in_case().again(kMillisecond).gets_error();
    std::vector<trace::Thrown> chain(static_cast<std::size_t>(told), thrown("*swift.Error", "HTTP Error: 503"));
    t.in_case().fails(std::move(chain));
    return t.verdicts();
  };
  EXPECT_EQ(asked("go", 1), "missing-delay likely");
  EXPECT_EQ(asked("go", 8), "missing-delay possible");
  EXPECT_EQ(asked("python", 8), "missing-delay likely") << "a chain of causes";
}

}  // namespace
}  // namespace retrial::oracles

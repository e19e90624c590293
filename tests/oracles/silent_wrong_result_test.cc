#include <gtest/gtest.h>

#include "tests/oracles/runs.h"

namespace retrial::oracles {
namespace {
using trace::Confidence;
using trace::Telling;

TEST(SilentWrongResult, a_call_that_recovered_and_a_failed_assertion_are_likely_one) {
  Trial t;
  t.reference.call("put", "PUT", "/stock/lamp").answers(200);
  t.in_case().call("put", "PUT", "/stock/lamp").is_lost(Telling::reset, 200);
  t.in_case().again(kSecond).answers(200).fails({assertion("assert 6 == 8")});
  EXPECT_EQ(t.verdicts(), "silent-wrong-result likely");
  auto message = t.judge().findings[0].message;
  EXPECT_NE(message.find("attempt 2 was answered 200 and delivered, and an assertion of the test failed: "
                         "AssertionError: assert 6 == 8"),
            std::string::npos)
      << message;
}

TEST(SilentWrongResult, node_and_pytest_have_assertions_of_their_own) {
  for (auto& what : {on_a_test_line("AssertionError", "Expected values to be strictly equal"),
                     on_a_test_line("_pytest.outcomes.Failed", "DID NOT RAISE")}) {
    Trial t("K1", "error(transient) x 1, then pass");
    t.reference.call("get", "GET", "/stock/lamp").answers(200);
    t.in_case().call("get", "GET", "/stock/lamp").gets_error();
    t.in_case().again(kSecond).answers(200).fails({what});
    EXPECT_EQ(t.verdicts(), "silent-wrong-result likely");
  }
}

TEST(SilentWrongResult, a_service_that_refuses_the_repeat_and_an_application_that_takes_it_for_others_is_likely) {
  Trial t;
  t.reference.call("claim", "PUT", "/reports/day.claim", {{"If-None-Match", "*"}}).answers(201);
  t.in_case().call("claim", "PUT", "/reports/day.claim", {{"If-None-Match", "*"}}).is_lost(Telling::reset, 201);
  t.in_case().again(kMillisecond).answers(409).fails({assertion("false !== true")});
  EXPECT_EQ(t.verdicts(), "silent-wrong-result likely");
  EXPECT_NE(t.judge().findings[0].message.find("answered 409 Conflict by the service itself"), std::string::npos);
}

// The call ends in the fault; `after` more calls follow in the reference, and in the case or not.
Trial ended_in_the_fault(std::string text, bool follows_in_reference, bool follows_in_case) {
  Trial t("P3", "error(transient)");
  t.reference.call("put", "PUT", "/stock/lamp").answers(200);
  if (follows_in_reference) t.reference.call("tell", "POST", "/hooks").answers(202);
  t.in_case().call("put", "PUT", "/stock/lamp").gets_error();
  t.in_case().again(kSecond).gets_error();
  if (follows_in_case) t.in_case().call("tell", "POST", "/hooks").answers(202);
  t.in_case().fails({assertion(std::move(text))});
  return t;
}

TEST(SilentWrongResult, a_test_that_fails_plainly_with_the_fault_is_clean) {
  for (auto& text : {"assert 503 == 200", "assert 'Service Unavailable' == 'ok'", "assert <Response [503]>.ok"}) {
    auto t = ended_in_the_fault(text, true, true);
    EXPECT_EQ(t.verdicts(), "") << text;
    EXPECT_EQ(t.why_not(), "") << text;
  }
}

TEST(SilentWrongResult,
     a_call_that_ended_in_the_fault_is_possible_only_where_the_application_went_on_as_if_nothing_had_been) {
  EXPECT_EQ(ended_in_the_fault("assert {} == {'lamp': 8}", true, true).verdicts(), "silent-wrong-result possible");
  for (auto [reference, in_case] : {std::pair(true, false), std::pair(false, false)}) {
    auto t = ended_in_the_fault("assert {} == {'lamp': 8}", reference, in_case);
    EXPECT_EQ(t.verdicts(), "");
    EXPECT_NE(t.why_not().find("whether the caller was told cannot be seen"), std::string::npos) << t.why_not();
  }
}

TEST(SilentWrongResult, a_service_that_gives_the_very_error_that_was_injected_is_not_told_apart_from_the_fault) {
  Trial t("K1", "error(transient) x 1, then pass");
  t.reference.call("get", "GET", "/stock/lamp").answers(200);
  t.in_case().call("get", "GET", "/stock/lamp").gets_error();
  t.in_case().again(kSecond).answers(503).fails({assertion("assert None == 8")});
  EXPECT_EQ(t.verdicts(), "");
  EXPECT_NE(t.why_not(), "");
}

TEST(SilentWrongResult, a_delay_alone_is_possible_at_most) {
  Trial t("D", "delay(20ms)");
  t.reference.call("put", "PUT", "/stock/lamp").answers(200);
  t.in_case().call("put", "PUT", "/stock/lamp").is_delayed().answers(200).fails({assertion("assert 1.02 < 1")});
  EXPECT_EQ(t.verdicts(), "silent-wrong-result possible");
}

TEST(SilentWrongResult, an_assertion_of_the_application_or_outside_the_tests_body_is_not_judged) {
  for (bool own : {true, false}) {
    Trial t("K1", "error(transient) x 1, then pass");
    t.reference.call("get", "GET", "/stock/lamp").answers(200);
    t.in_case().call("get", "GET", "/stock/lamp").gets_error();
    t.in_case().again(kSecond).answers(200);
    own ? t.in_case().fails({thrown("builtins.AssertionError", "assert stock")})
        : t.in_case().fails({assertion("assert 0")}, trace::Phase::teardown);
    EXPECT_EQ(t.verdicts(), "");
    EXPECT_NE(t.why_not(), "");
  }
}

TEST(SilentWrongResult, a_right_retry_is_clean) {
  Trial t("K1", "error(transient) x 1, then pass");
  t.reference.call("get", "GET", "/stock/lamp").answers(200);
  t.in_case().call("get", "GET", "/stock/lamp").gets_error();
  t.in_case().again(kSecond).answers(200).passes();
  EXPECT_EQ(t.verdicts(), "");
  EXPECT_EQ(t.why_not(), "");
}

TEST(SilentWrongResult, is_never_surer_than_the_correlation) {
  Trial t;
  t.reference.call("put", "PUT", "/stock/lamp").answers(200);
  t.in_case().call("put", "PUT", "/stock/lamp").is_lost(Telling::reset, 200);
  t.in_case().again(kSecond, Confidence::possible).answers(200).fails({assertion("assert 6 == 8")});
  EXPECT_EQ(t.verdicts(), "silent-wrong-result possible");
}

}  // namespace
}  // namespace retrial::oracles

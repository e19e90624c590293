#include "policies/fault_plan.h"

#include <gtest/gtest.h>

namespace retrial::policies {
namespace {
using trace::FaultName;
using trace::FaultSpec;
using trace::Telling;

FaultPlan parsed(std::string_view text) {
  auto plan = parse_fault_plan(text);
  EXPECT_TRUE(plan) << text << ": " << (plan ? "" : plan.error().line());
  return plan ? *plan : FaultPlan{};
}
std::string refused(std::string_view text) {
  auto plan = parse_fault_plan(text);
  EXPECT_FALSE(plan) << text << " was read as " << (plan ? show(*plan) : "");
  if (plan) return {};
  EXPECT_EQ(plan.error().blame, Blame::user);
  return plan.error().what;
}

TEST(FaultPlan, every_fault_is_read_and_shown_in_its_one_spelling) {
  for (std::string_view text :
       {"pass", "error(503)", "error(429)", "error(transient)", "lost-response(reset)", "lost-response(close)",
        "lost-response(stall)", "lost-response(error(503))", "lost-response(error(transient))", "reset(after-request)",
        "close(after-request)", "delay(200ms)", "delay(0ms)", "stall", "lost-response(reset) x 1, then pass",
        "error(503) x 2, then lost-response(close) x 3, then delay(20ms)", "pass x 2, then error(500)"}) {
    auto plan = parsed(text);
    EXPECT_EQ(show(plan), text);
    EXPECT_EQ(parsed(show(plan)), plan);
  }
}

TEST(FaultPlan, an_argument_may_be_given_by_place_or_by_name) {
  EXPECT_EQ(parsed("error(status=503)"), parsed("error(503)"));
  EXPECT_EQ(parsed("error(status = transient)"), parsed("error(transient)"));
  EXPECT_EQ(parsed("delay(ms=200)"), parsed("delay(200ms)"));
  EXPECT_EQ(parsed("delay(200)"), parsed("delay(200ms)"));
  EXPECT_EQ(parsed("delay(ms=1.5s)"), parsed("delay(1500ms)"));
  EXPECT_EQ(parsed("delay(1.001s)"), parsed("delay(1001ms)"));
  EXPECT_EQ(parsed("lost-response(telling=error(status=503))"), parsed("lost-response(error(503))"));
  EXPECT_EQ(parsed("reset(when=after-request)"), parsed("reset(after-request)"));
  EXPECT_EQ(parsed("stall()"), parsed("stall"));
}

TEST(FaultPlan, faults_hold_what_was_said) {
  auto plan = parsed("lost-response(error(500)) x 2, then delay(2s) x 1, then close(after-request)");
  ASSERT_EQ(plan.steps.size(), 3u);
  EXPECT_EQ(plan.steps[0], (FaultStep{{FaultName::lost_response, Telling::error, 500, 0}, 2}));
  EXPECT_EQ(plan.steps[1], (FaultStep{{FaultName::delay, Telling::reset, 0, 2 * kSecond}, 1}));
  EXPECT_EQ(plan.steps[2], (FaultStep{{FaultName::close, Telling::reset, 0, 0}, 0}));
}

TEST(FaultPlan, space_is_free_and_a_step_without_a_count_is_done_once) {
  EXPECT_EQ(parsed("  error( 503 )x2 ,then\tpass  "), parsed("error(503) x 2, then pass"));
  EXPECT_EQ(parsed("lost-response(reset), then pass"), parsed("lost-response(reset) x 1, then pass"));
  EXPECT_EQ(show(parsed("lost-response(reset), then pass")), "lost-response(reset) x 1, then pass");
}

TEST(FaultPlan, the_last_step_goes_on_and_one_that_is_counted_out_is_followed_by_pass) {
  auto always = parsed("error(503)");
  EXPECT_EQ(fault_of(always, 1).name, FaultName::error);
  EXPECT_EQ(fault_of(always, 100000).name, FaultName::error);

  auto twice = parsed("error(503) x 2");
  EXPECT_EQ(show(twice), "error(503) x 2, then pass");
  EXPECT_EQ(fault_of(twice, 2).name, FaultName::error);
  EXPECT_EQ(fault_of(twice, 3).name, FaultName::none);

  auto steps = parsed("lost-response(reset) x 1, then error(500) x 2, then stall");
  EXPECT_EQ(fault_of(steps, 1).name, FaultName::lost_response);
  EXPECT_EQ(fault_of(steps, 2).name, FaultName::error);
  EXPECT_EQ(fault_of(steps, 3).name, FaultName::error);
  EXPECT_EQ(fault_of(steps, 4).name, FaultName::stall);
  EXPECT_EQ(fault_of(FaultPlan{}, 1).name, FaultName::none);
}

TEST(FaultPlan, an_error_names_the_column_what_was_expected_and_the_nearest_word) {
  EXPECT_EQ(
      refused("eror(503)"),
      "column 1: expected a fault (pass, error, lost-response, reset, close, delay, stall), found `eror`; did you "
      "mean `error`?");
  EXPECT_EQ(refused("lost-response(rest)"),
            "column 15: expected reset, close, stall or error(STATUS), found `rest`; did you mean `reset`?");
  EXPECT_EQ(refused("error(503), than pass"),
            "column 13: expected `then` and a fault, found `than`; did you mean `then`?");
  EXPECT_EQ(
      refused("error(stats=503)"),
      "column 7: expected `status` or a status from 400 to 599, or transient, found `stats`; did you mean `status`?");
  EXPECT_EQ(refused("error(200)"), "column 7: expected a status from 400 to 599, or transient, found `200`");
  EXPECT_EQ(refused("error(503) x 0"), "column 14: expected a number from 1 to 1000000, found `0`");
  EXPECT_EQ(refused("reset(after-requests)"),
            "column 7: expected after-request, found `after-requests`; did you mean `after-request`?");
  EXPECT_EQ(refused("error(503, retry-after=2)"),
            "column 10: expected `)`: error takes one argument, status, found `,`");
}

TEST(FaultPlan, what_is_cut_short_or_out_of_place_is_refused_where_it_ends) {
  EXPECT_EQ(refused(""),
            "column 1: expected a fault (pass, error, lost-response, reset, close, delay, stall), found the end");
  EXPECT_EQ(refused("error"), "column 6: expected `(` and a status from 400 to 599, or transient, found the end");
  EXPECT_EQ(refused("error("), "column 7: expected a status from 400 to 599, or transient, found the end");
  EXPECT_EQ(refused("error(503"), "column 10: expected `)`: error takes one argument, status, found the end");
  EXPECT_EQ(refused("error(503) x"), "column 13: expected a number from 1 to 1000000, found the end");
  EXPECT_EQ(refused("error(503),"), "column 12: expected `then` and a fault, found the end");
  EXPECT_EQ(refused("error(503) pass"), "column 12: expected `x N`, `, then` or the end, found `pass`");
  EXPECT_EQ(refused("error(503) x 2 pass"), "column 16: expected `, then` or the end, found `pass`");
  EXPECT_EQ(refused("stall(1)"), "column 7: expected `)`: stall takes no argument, found `1`");
  EXPECT_EQ(refused("lost-response(error(503)"),
            "column 25: expected `)`: lost-response takes one argument, telling, found the end");
  for (auto text : {"delay(0.5ms)", "delay(2h)", "delay(-1)", "delay(x)", "error(503) x -1", "error(503) x 1000001",
                    "error(99999999999999999999)", "((((", "pass pass", "x 2"})
    refused(text);
}

TEST(FaultPlan, an_error_is_one_line_however_long_and_odd_the_text) {
  std::string odd = "error(503)\n\x01 oops " + std::string(1000, 'y');
  auto plan = parse_fault_plan(odd);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().line().find('\n'), std::string::npos);
  EXPECT_LT(plan.error().line().size(), 600u);
  EXPECT_NE(refused(std::string(5000, ' ')).find("longer than 4096"), std::string::npos);
}

}  // namespace
}  // namespace retrial::policies

#include "policies/fault_plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "trace/fault_name.h"
#include "trace/fault_table.h"

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
  for (std::string_view text : {"pass",
                                "error(503)",
                                "error(429)",
                                "error(transient)",
                                "lost-response(reset)",
                                "lost-response(close)",
                                "lost-response(stall)",
                                "lost-response(error(503))",
                                "lost-response(error(transient))",
                                "reset(after-request)",
                                "close(after-request)",
                                "delay(200ms)",
                                "delay(0ms)",
                                "stall",
                                "lost-response(reset) x 1, then pass",
                                "error(503) x 2, then lost-response(close) x 3, then delay(20ms)",
                                "pass x 2, then error(500)",
                                "error(429, retry-after=2)",
                                "error(503, retry-after=date+3)",
                                "lost-response(error(503, retry-after=0))",
                                "reset(before-request)",
                                "reset(after-head)",
                                "close(after-response-head)",
                                "reset(in-body)",
                                "close(in-body, 100)",
                                "reset(idle)",
                                "stall(before-request)",
                                "stall(in-body, 0)",
                                "stall(idle)",
                                "delay(uniform, 100ms, 300ms)",
                                "delay(normal, 200ms, 50ms)",
                                "delay(pareto, 100ms, 1.500)",
                                "refuse-connect",
                                "connect-timeout",
                                "slow-connect(3000ms)",
                                "tls-refuse",
                                "tls-expired",
                                "tls-wrong-name",
                                "tls-cut(close)",
                                "tls-cut(reset)",
                                "bandwidth(1000)",
                                "bandwidth(64000, 1000)",
                                "drip(1, 100ms)",
                                "truncate",
                                "truncate(0)",
                                "corrupt",
                                "corrupt(7)",
                                "grow(64)",
                                "lengthen(64)",
                                "another-page x 8, then pass",
                                "another-page(nextPageToken)",
                                "another-page(\"@odata.nextLink\")",
                                "wrong-length(+1)",
                                "wrong-length(-5)",
                                "drop-header(ETag)",
                                "set-header(X-Region, eu-1)",
                                "set-header(Date, \"Sun, 06 Nov 1994 08:49:37 GMT\")",
                                "set-header(X-Odd, \"a \\\"b\\\\ (c), then\")",
                                "set-header(X-Empty, \"\")",
                                "double-header(ETag)",
                                "double-header(Set-Cookie, \"a=1: 2\")",
                                "malformed(status-line)",
                                "malformed(header)",
                                "malformed(chunk)",
                                "redirect-loop(307)",
                                "redirect-loop(302)",
                                "stale",
                                "duplicate",
                                "grpc-status(UNAVAILABLE)",
                                "grpc-status(UNAVAILABLE, pushback=200ms)",
                                "grpc-status(RESOURCE_EXHAUSTED, pushback=never)",
                                "grpc-status(UNAUTHENTICATED, pushback=0ms)",
                                "lost-response(grpc-status(UNAVAILABLE))",
                                "lost-response(grpc-status(ABORTED, pushback=50ms))",
                                "rst-stream(refused-stream)",
                                "rst-stream(refused-stream, after-request)",
                                "rst-stream(refused-stream, idle)",
                                "rst-stream(no-error)",
                                "rst-stream(cancel, after-head)",
                                "rst-stream(internal-error, after-response-head)",
                                "rst-stream(enhance-your-calm, in-body)",
                                "rst-stream(http-1-1-required, in-body, 100)",
                                "goaway",
                                "goaway(enhance-your-calm)",
                                "late-status(INTERNAL)",
                                "message(delay, 1, 200ms)",
                                "message(delay, 3, 1000ms)",
                                "message(drop)",
                                "message(drop, 2)",
                                "message(truncate)",
                                "message(corrupt, 7)",
                                "slow-trailers(300ms)",
                                "crash(before-request)",
                                "crash(executed)",
                                "crash(answered) x 1, then pass",
                                "10% of lost-response(reset)",
                                "0.5% of error(503)",
                                "0.000001% of stall",
                                "99.999999% of stall",
                                "after 30s: refuse-connect for 10s",
                                "after 1500ms: error(503)",
                                "error(503) for 250ms",
                                "after 30s: 10% of error(503) x 3 for 10s, then pass",
                                "after 30s: error(503) for 10s, then after 60s: stall for 5s, then delay(20ms)",
                                "20% of error(503) x 2, then 50% of stall"}) {
    auto plan = parsed(text);
    EXPECT_EQ(show(plan), text);
    EXPECT_EQ(parsed(show(plan)), plan);
  }
}

// One text that is read as an argument of that kind.
std::string_view argument(trace::ArgumentKind kind) {
  using enum trace::ArgumentKind;
  switch (kind) {
    case status:
      return "503";
    case retry_after:
      return "2";
    case telling:
    case cut:
      return "reset";
    case point:
      return "in-body";
    case part:
      return "header";
    case redirect:
      return "302";
    case spread:
    case time:
    case base:
    case width:
    case pushback:
      return "200ms";
    case shape:
      return "1.5";
    case bytes:
    case piece:
    case at:
    case rate:
    case burst:
    case nth:
      return "3";
    case by:
      return "-3";
    case name:
    case set_name:
    case value:
      return "ETag";
    case grpc_status:
      return "ABORTED";
    case stream_code:
      return "cancel";
    case of_message:
      return "delay";
    case times:
      return "3";
    case member:
      return "next";
    case moment:
      return "executed";
  }
  return {};
}
TEST(FaultPlan, every_fault_is_read_with_all_that_it_may_be_given_and_with_no_more_than_it_must_be) {
  for (auto& row : trace::fault_rows()) {
    std::vector<std::string> all, required;
    for (auto& parameter : row.parameters) {
      auto text = std::string(argument(parameter.kind));
      all.push_back(std::string(parameter.name) + "=" + text);
      if (parameter.required) required.push_back(text);
      if (!parameter.left_out.empty()) {
        EXPECT_FALSE(parameter.required) << row.word << " " << parameter.name;
      }
    }
    if (row.has(trace::ArgumentKind::of_message)) required.back() = "drop";  // a delay needs its time
    for (auto& arguments : {all, required}) {
      auto text =
          arguments.empty() ? std::string(row.word) : fmt::format("{}({})", row.word, fmt::join(arguments, ", "));
      auto plan = parsed(text);
      ASSERT_EQ(plan.steps.size(), 1u) << text;
      EXPECT_EQ(plan.steps[0].fault.name, row.fault) << text;
      EXPECT_EQ(parsed(show(plan)), plan) << text;
      EXPECT_TRUE(show(plan).starts_with(row.word)) << text;
    }
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

TEST(FaultPlan, a_status_of_grpc_is_an_error_with_its_own_number) {
  EXPECT_EQ(parsed("grpc-status(UNAVAILABLE)").steps[0].fault, (FaultSpec{.name = FaultName::error, .status = 2014}));
  EXPECT_EQ(parsed("lost-response(grpc-status(CANCELLED))").steps[0].fault,
            (FaultSpec{.name = FaultName::lost_response, .telling = Telling::error, .status = 2001}));
  EXPECT_EQ(parsed("grpc-status(pushback=1s, code=UNKNOWN)"), parsed("grpc-status(UNKNOWN, 1000)"));
  EXPECT_EQ(parsed("grpc-status(UNKNOWN, never)").steps[0].fault.pushback, -1);
  EXPECT_EQ(parsed("grpc-status(UNKNOWN)").steps[0].fault.pushback, trace::kNoPushback);
  EXPECT_EQ(parsed("late-status(DATA_LOSS)").steps[0].fault.status, 2015);
}

TEST(FaultPlan, faults_of_streams_hold_what_was_said) {
  FaultSpec refused{.name = FaultName::rst_stream, .point = trace::Point::before_request};
  refused.code = 7;
  EXPECT_EQ(parsed("rst-stream").steps[0].fault, refused);
  EXPECT_EQ(parsed("rst-stream(refused-stream)").steps[0].fault, refused);
  refused.code = 8;
  EXPECT_EQ(parsed("rst-stream(code=cancel)").steps[0].fault, refused);
  EXPECT_EQ(parsed("rst-stream(when=in-body, bytes=1k, code=cancel)"), parsed("rst-stream(cancel, in-body, 1000)"));
  EXPECT_EQ(parsed("goaway(no-error)"), parsed("goaway"));
  EXPECT_EQ(parsed("goaway(http-1-1-required)").steps[0].fault.code, 13u);
  FaultSpec late{.name = FaultName::message, .delay = 20 * kMillisecond};
  EXPECT_EQ(parsed("message(delay, ms=20)").steps[0].fault, late);
  late.nth = 4;
  EXPECT_EQ(parsed("message(n=4, ms=20ms, what=delay)").steps[0].fault, late);
  EXPECT_EQ(show(parsed("message(drop, 1)")), "message(drop)");
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

TEST(FaultPlan, what_may_be_left_out_has_its_usual_meaning) {
  EXPECT_EQ(show(parsed("reset")), "reset(after-request)");
  EXPECT_EQ(show(parsed("close()")), "close(after-request)");
  EXPECT_EQ(parsed("stall(after-request)"), parsed("stall"));
  EXPECT_EQ(parsed("reset(in-body)").steps[0].fault.bytes, trace::kHalf);
  EXPECT_EQ(show(parsed("tls-cut")), "tls-cut(close)");
  EXPECT_EQ(show(parsed("redirect-loop")), "redirect-loop(307)");
  EXPECT_EQ(show(parsed("malformed")), "malformed(status-line)");
  EXPECT_EQ(parsed("bandwidth(64k)"), parsed("bandwidth(64000, burst=64000)"));
  EXPECT_EQ(parsed("delay(fixed, 200ms)"), parsed("delay(200ms)"));
  EXPECT_EQ(parsed("100% of stall"), parsed("stall"));
  EXPECT_EQ(parsed("after 0s: stall"), parsed("stall"));
}

TEST(FaultPlan, arguments_by_name_stand_in_any_order) {
  EXPECT_EQ(parsed("error(retry-after=date + 3, status=503)"), parsed("error(503, retry-after=date+3)"));
  EXPECT_EQ(parsed("error(429, 2)"), parsed("error(429, retry-after=2)"));
  EXPECT_EQ(parsed("reset(bytes=2M, when=in-body)"), parsed("reset(in-body, 2000000)"));
  EXPECT_EQ(parsed("bandwidth(burst=10, rate=1k)"), parsed("bandwidth(1000, 10)"));
  EXPECT_EQ(parsed("delay(uniform, to=3s, from=1s)"), parsed("delay(uniform, 1000ms, 3000ms)"));
  EXPECT_EQ(parsed("delay(pareto, shape=2, scale=1s)"), parsed("delay(pareto, 1s, 2.000)"));
  EXPECT_EQ(parsed("wrong-length(by=3)"), parsed("wrong-length(+3)"));
  EXPECT_EQ(parsed("set-header(name=A, value=\"b\")"), parsed("set-header(A, b)"));
}

TEST(FaultPlan, a_window_is_open_from_its_beginning_up_to_its_end) {
  auto plan = parsed("after 30s: refuse-connect for 10s");
  auto name = [&](Nanos at) {
    auto* step = step_of(plan, 1, at, Of::connections);
    return step ? step->fault.name : FaultName::none;
  };
  EXPECT_EQ(name(0), FaultName::none);
  EXPECT_EQ(name(30 * kSecond - 1), FaultName::none);
  EXPECT_EQ(name(30 * kSecond), FaultName::refuse_connect);
  EXPECT_EQ(name(40 * kSecond - 1), FaultName::refuse_connect);
  EXPECT_EQ(name(40 * kSecond), FaultName::none);
}

TEST(FaultPlan, a_step_takes_the_last_of_so_many_attempts) {
  auto plan = parse_fault_plan("every 3: error(503) x 2, then reset(before-request)");
  ASSERT_TRUE(plan);
  EXPECT_EQ(show(*plan), "every 3: error(503) x 2, then reset(before-request)");
  std::string struck;
  for (int n = 1; n <= 8; n++)
    struck += trace::is_pass(fault_of(*plan, n)) ? '-' : fault_of(*plan, n).status ? 'e' : 'r';
  EXPECT_EQ(struck, "--e--err");
  EXPECT_EQ(show(*parse_fault_plan("after 5s: every 2: 10% of error(503) for 3s")),
            "after 5s: every 2: 10% of error(503) for 3s");
  EXPECT_EQ(show(*parse_fault_plan("every 1: error(503)")), "error(503)");
  EXPECT_EQ(parse_fault_plan("every 0: error(503)").error().what,
            "column 7: expected a number from 1 to 1000000, found `0`");
  EXPECT_EQ(parse_fault_plan("every 3 error(503)").error().what, "column 9: expected `:` and a fault, found `error`");
}
TEST(FaultPlan, a_step_whose_window_is_closed_takes_no_attempts) {
  auto plan = parsed("error(503) x 2, then after 30s: stall for 10s, then reset");
  EXPECT_EQ(step_of(plan, 2, 35 * kSecond)->fault.name, FaultName::error);
  EXPECT_EQ(step_of(plan, 3, 35 * kSecond)->fault.name, FaultName::stall);
  EXPECT_EQ(step_of(plan, 99, 35 * kSecond)->fault.name, FaultName::stall);
  EXPECT_EQ(step_of(plan, 3, 45 * kSecond)->fault.name, FaultName::reset);
  auto counted = parsed("after 10s: stall x 2 for 10s, then reset");
  EXPECT_EQ(step_of(counted, 1, 5 * kSecond)->fault.name, FaultName::reset);
  EXPECT_EQ(step_of(counted, 2, 15 * kSecond)->fault.name, FaultName::stall);
  EXPECT_EQ(step_of(counted, 3, 15 * kSecond)->fault.name, FaultName::reset);
}

TEST(FaultPlan, connections_are_counted_apart_from_attempts) {
  auto plan = parsed("refuse-connect x 2, then error(503) x 1, then pass x 1, then tls-cut");
  EXPECT_TRUE(strikes_connections(plan));
  EXPECT_FALSE(strikes_connections(parsed("error(503)")));
  auto name = [&](int n, Of of) {
    auto* step = step_of(plan, n, 0, of);
    return step ? step->fault.name : FaultName::none;
  };
  EXPECT_EQ(name(1, Of::attempts), FaultName::error);
  EXPECT_EQ(name(2, Of::attempts), FaultName::none);
  EXPECT_EQ(name(3, Of::attempts), FaultName::none);
  EXPECT_EQ(name(1, Of::connections), FaultName::refuse_connect);
  EXPECT_EQ(name(2, Of::connections), FaultName::refuse_connect);
  EXPECT_EQ(name(3, Of::connections), FaultName::none);
  EXPECT_EQ(name(4, Of::connections), FaultName::tls_cut);
}

TEST(FaultPlan, chance_decides_attempt_by_attempt_and_only_where_it_is_asked) {
  auto plan = parsed("25% of error(503) x 4000, then stall");
  Dice dice{.seed = 7, .rule = 1};
  int fired = 0;
  for (int attempt = 1; attempt <= 4000; attempt++) fired += choose(plan, attempt, 0, dice).name == FaultName::error;
  EXPECT_EQ(dice.counter, 4000u);
  EXPECT_GT(fired, 1000 - 5 * 28);  // five standard deviations
  EXPECT_LT(fired, 1000 + 5 * 28);
  EXPECT_EQ(choose(plan, 4001, 0, dice).name, FaultName::stall);
  EXPECT_EQ(dice.counter, 4000u);

  Dice again{.seed = 7, .rule = 1};
  int same = 0;
  for (int attempt = 1; attempt <= 4000; attempt++) same += choose(plan, attempt, 0, again).name == FaultName::error;
  EXPECT_EQ(same, fired);
}

TEST(FaultPlan, an_error_names_the_column_what_was_expected_and_the_nearest_word) {
  EXPECT_EQ(refused("eror(503)"), fmt::format("column 1: expected a fault ({}), found `eror`; did you mean `error`?",
                                              fmt::join(trace::fault_names(), ", ")));
  EXPECT_EQ(refused("lost-response(rest)"),
            "column 15: expected reset, close, stall, error(STATUS) or grpc-status(CODE), found `rest`; did you mean "
            "`reset`?");
  EXPECT_EQ(refused("error(503), than pass"),
            "column 13: expected `then` and a fault, found `than`; did you mean `then`?");
  EXPECT_EQ(
      refused("error(stats=503)"),
      "column 7: expected `status` or `retry-after` or a status from 400 to 599, or transient, found `stats`; did "
      "you mean `status`?");
  EXPECT_EQ(refused("error(UNAVAILABLE)"),
            "column 7: expected a status from 400 to 599, or transient, found `UNAVAILABLE`; did you mean "
            "`grpc-status(UNAVAILABLE)`?");
  EXPECT_EQ(refused("error(200)"), "column 7: expected a status from 400 to 599, or transient, found `200`");
  EXPECT_EQ(refused("error(503) x 0"), "column 14: expected a number from 1 to 1000000, found `0`");
  EXPECT_EQ(refused("reset(after-requests)"),
            "column 7: expected before-request, after-head, after-request, after-response-head, in-body or idle, found "
            "`after-requests`; did you mean `after-request`?");
  EXPECT_EQ(refused("error(503, retry_after=2)"),
            "column 12: expected `retry-after`, found `retry_after`; did you mean `retry-after`?");
  EXPECT_EQ(refused("error(503, retry-after=dat+2)"),
            "column 24: expected seconds, or date+SECONDS, found `dat`; did you mean `date`?");
  EXPECT_EQ(refused("error(503, 1, 2)"), "column 15: expected `)`: error takes status and retry-after, found `2`");
  EXPECT_EQ(refused("error(503, status=500)"), "column 12: expected `retry-after`, found `status`");
  EXPECT_EQ(refused("delay(unifrom, 1s, 2s)"),
            "column 7: expected a time in whole milliseconds, such as 200ms, or uniform, normal or pareto, found "
            "`unifrom`; did you mean `uniform`?");
  EXPECT_EQ(refused("delay(uniform, 2s, 1s)"),
            "column 22: expected the longest time not to be shorter than the shortest, found `)`");
  EXPECT_EQ(refused("reset(idle, 5)"), "column 14: expected bytes with in-body alone, found `)`");
  EXPECT_EQ(refused("10 of stall"), "column 4: expected `%`, found `of`");
  EXPECT_EQ(refused("101% of stall"), "column 1: expected a percentage from 0.000001 to 100, found `101`");
  EXPECT_EQ(refused("after 30: stall for 0s"),
            "column 21: expected a time in whole milliseconds, such as 30s or 5m, found `0s`");
  EXPECT_EQ(refused("after 30s stall"), "column 11: expected `:` and a fault, found `stall`");
  EXPECT_EQ(refused("set-header(Content-Length, 5)"),
            "column 12: expected the name of a header that frames nothing (see wrong-length), found `Content-Length`");
  EXPECT_EQ(refused("set-header(X, \"a)"),
            "column 15: expected a header's value, in quotes where it is more than a word, found `\"`");
}

TEST(FaultPlan, an_error_of_streams_and_grpc_knows_their_words_in_any_case) {
  constexpr std::string_view kCode = "a gRPC status other than OK, in upper case, such as UNAVAILABLE";
  constexpr std::string_view kStreamCode = "an error code of HTTP/2, such as refused-stream or cancel";
  auto line = [](int column, std::string_view expected, std::string_view found, std::string_view meant = {}) {
    auto text = "column " + std::to_string(column) + ": expected ";
    text.append(expected).append(", found `").append(found).append("`");
    if (!meant.empty()) text.append("; did you mean `").append(meant).append("`?");
    return text;
  };
  EXPECT_EQ(refused("grpc-status(UNAVAILBLE)"), line(13, kCode, "UNAVAILBLE", "UNAVAILABLE"));
  EXPECT_EQ(refused("grpc-status(unavailable)"), line(13, kCode, "unavailable", "UNAVAILABLE"));
  EXPECT_EQ(refused("late-status(resource-exhausted)"), line(13, kCode, "resource-exhausted", "RESOURCE_EXHAUSTED"));
  EXPECT_EQ(refused("grpc-status(OK)"), line(13, kCode, "OK"));
  EXPECT_EQ(refused("grpc-status(14)"), line(13, kCode, "14", "UNAVAILABLE"));
  EXPECT_EQ(refused("grpc-status(17)"), line(13, kCode, "17"));
  EXPECT_EQ(refused("grpc-status"), "column 12: expected `(` and " + std::string(kCode) + ", found the end");
  EXPECT_EQ(refused("grpc-status(UNKNOWN, pushback=neve)"),
            line(31, "a time in whole milliseconds, such as 200ms, or never", "neve", "never"));
  EXPECT_EQ(refused("grpc-status(UNKNOWN, retry-after=1)"), line(22, "`pushback`", "retry-after"));
  EXPECT_EQ(refused("lost-response(grpc-state(UNKNOWN))"),
            line(15, "reset, close, stall, error(STATUS) or grpc-status(CODE)", "grpc-state", "grpc-status"));
  EXPECT_EQ(refused("rst-stream(REFUSED_STREAM)"), line(12, kStreamCode, "REFUSED_STREAM", "refused-stream"));
  EXPECT_EQ(refused("rst-stream(canceled)"), line(12, kStreamCode, "canceled", "cancel"));
  EXPECT_EQ(refused("rst-stream(refused-stream, in-body)"),
            line(35, "refused-stream with before-request, after-request or idle alone", ")"));
  EXPECT_EQ(refused("rst-stream(cancel, idle, 5)"), line(27, "bytes with in-body alone", ")"));
  EXPECT_EQ(refused("goaway(calm)"), line(8, kStreamCode, "calm"));
  EXPECT_EQ(refused("goaway(cancel, 3)"), line(16, "`)`: goaway takes code", "3"));
  EXPECT_EQ(refused("message(dorp)"), line(9, "delay, drop, truncate or corrupt", "dorp", "drop"));
  EXPECT_EQ(refused("message(drop, 0)"), line(15, "which message, from 1 on (or ms=TIME)", "0"));
  EXPECT_EQ(refused("message(delay, 200ms)"), line(16, "which message, from 1 on (or ms=TIME)", "200ms"));
  EXPECT_EQ(refused("message(delay, 2)"), line(17, "ms, how long the message is delayed", ")"));
  EXPECT_EQ(refused("message(drop, 2, 5ms)"), line(21, "ms with delay alone", ")"));
  EXPECT_EQ(refused("crash(in-body)"), line(7, "before-request, executed or answered", "in-body"));
  EXPECT_EQ(refused("reset(executed)"),
            line(7, "before-request, after-head, after-request, after-response-head, in-body or idle", "executed"));
  EXPECT_EQ(refused("slow-trailers(fast)"), line(15, "a time in whole milliseconds, such as 200ms", "fast"));
  for (auto text : {"grpc-status()", "grpc-status(UNKNOWN, -1)", "lost-response(late-status(UNKNOWN))", "rst-stream(7)",
                    "goaway(x)", "late-status", "late-status(OK)", "message", "message()", "message(delay)",
                    "message(drop, x)", "slow-trailers", "slow-trailers(2h)"})
    refused(text);
}

TEST(FaultPlan, what_is_cut_short_or_out_of_place_is_refused_where_it_ends) {
  EXPECT_EQ(refused("").substr(0, 35), "column 1: expected a fault (pass, e");
  EXPECT_EQ(refused("error"), "column 6: expected `(` and a status from 400 to 599, or transient, found the end");
  EXPECT_EQ(refused("error("), "column 7: expected a status from 400 to 599, or transient, found the end");
  EXPECT_EQ(refused("error(503"), "column 10: expected `,` or `)`, found the end");
  EXPECT_EQ(refused("error(503) x"), "column 13: expected a number from 1 to 1000000, found the end");
  EXPECT_EQ(refused("error(503),"), "column 12: expected `then` and a fault, found the end");
  EXPECT_EQ(refused("error(503) pass"), "column 12: expected `x N`, `for TIME`, `, then` or the end, found `pass`");
  EXPECT_EQ(refused("error(503) x 2 pass"), "column 16: expected `for TIME`, `, then` or the end, found `pass`");
  EXPECT_EQ(refused("stall for 1s x 2"), "column 14: expected `, then` or the end, found `x`");
  EXPECT_EQ(refused("pass(1)"), "column 6: expected `)`: pass takes no argument, found `1`");
  EXPECT_EQ(refused("lost-response(error(503)"), "column 25: expected `,` or `)`, found the end");
  for (auto text : {"delay(0.5ms)",
                    "delay(2h)",
                    "delay(-1)",
                    "delay(x)",
                    "error(503) x -1",
                    "error(503) x 1000001",
                    "error(99999999999999999999)",
                    "((((",
                    "pass pass",
                    "x 2",
                    "delay()",
                    "error()",
                    "delay(uniform, 1s)",
                    "delay(uniform)",
                    "delay(pareto, 1s, 0)",
                    "delay(pareto, 1s, 1.2345)",
                    "drip(0, 1s)",
                    "drip(1)",
                    "bandwidth(0)",
                    "bandwidth(1k, 0)",
                    "bandwidth(2000000M)",
                    "bandwidth(k)",
                    "wrong-length(0)",
                    "wrong-length",
                    "corrupt(-1)",
                    "drop-header(\"a b\")",
                    "drop-header",
                    "set-header(value=a, name=b)",
                    "set-header(a, \"\n\")",
                    "redirect-loop(304)",
                    "malformed(body)",
                    "tls-cut(stall)",
                    "error(503, retry-after=-1)",
                    "0% of stall",
                    "0.0000001% of stall",
                    "10 % stall",
                    "after : stall",
                    "after 999999h: stall",
                    "stall for",
                    "reset(,)",
                    "error(503,)"})
    refused(text);
}

TEST(FaultPlan, an_error_is_one_line_however_long_and_odd_the_text) {
  std::string odd = "error(503)\n\x01 oops " + std::string(1000, 'y');
  auto plan = parse_fault_plan(odd);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().line().find('\n'), std::string::npos);
  EXPECT_LT(plan.error().line().size(), 900u);
  EXPECT_NE(refused(std::string(5000, ' ')).find("longer than 4096"), std::string::npos);
}

}  // namespace
}  // namespace retrial::policies

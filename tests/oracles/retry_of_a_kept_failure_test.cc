#include <gtest/gtest.h>

#include "tests/oracles/runs.h"

namespace retrial::oracles {
namespace {

// A map that keeps the promise, within a function that tries four times.
struct Kept {
  Trial trial{"P3", "error(503)"};
  explicit Kept(const char* function = "withRetry") {
    for (auto* tale : {&trial.reference, &trial.in_case()}) {
      tale->call("seatMap", "GET", "/venues/arena/map");
      tale->last().tag.site->callers = std::string("src/retry.js:21:") + function;
    }
    trial.reference.answers(200);
    trial.in_case().gets_error();
  }
  Kept& waits(int times, bool longer = true) {
    for (int n = 0; n < times; n++) trial.in_case().moved_on((50 << (longer ? n : 0)) * kMillisecond);
    return *this;
  }
  std::string fails(const char* message) {
    trial.in_case().fails({trace::Thrown{.type = "HttpError", .message = message, .link = "raised"}});
    return trial.verdicts();
  }
};
constexpr auto kPassedOn = "503 Service Unavailable";

TEST(KeptFailure, a_retry_that_waits_and_asks_nobody_gets_the_first_error_again) {
  Kept kept;
  EXPECT_EQ(kept.waits(3).fails(kPassedOn), "kept-failure likely");
  auto message = kept.trial.judge().findings[0].message;
  EXPECT_NE(message.find("src/retry.js:21 withRetry then waited 3 times (50 ms, 100 ms, 200 ms)"), message.npos)
      << message;
}

TEST(KeptFailure, one_wait_may_be_for_something_else) { EXPECT_EQ(Kept().waits(1).fails(kPassedOn), ""); }

// A fixture that waits until its server has ended, behind a test that failed at once.
TEST(KeptFailure, waits_of_a_teardown_are_no_retry_s) {
  auto verdict = [](int before, int behind) {
    Kept kept;
    auto& run = kept.waits(before).trial.in_case().run();
    auto over = run.jumps.empty() ? kept.trial.in_case().last().told + 1 : run.jumps.back().at + 1;
    run.stages = {{kTest, trace::Phase::test, 100, true, 1}, {kTest, trace::Phase::test, 100, false, over}};
    return kept.waits(behind).fails(kPassedOn);
  };
  EXPECT_EQ(verdict(0, 3), "");
  EXPECT_EQ(verdict(3, 1), "kept-failure likely");
}

TEST(KeptFailure, not_where_nothing_says_that_it_is_tried_again) {
  EXPECT_EQ(Kept("load").waits(3, false).fails(kPassedOn), "");
  EXPECT_EQ(Kept("load").waits(2).fails(kPassedOn), "") << "one may be for something else";
}
TEST(KeptFailure, three_waits_that_grow_are_a_back_off_whatever_it_is_called) {
  Kept kept("load");
  EXPECT_EQ(kept.waits(3).fails(kPassedOn), "kept-failure likely");
  auto message = kept.trial.judge().findings[0].message;
  EXPECT_NE(message.find("Its client then waited 3 times"), message.npos) << message;
}
TEST(KeptFailure, not_where_the_same_is_asked_for_later) {
  Kept kept;
  kept.waits(3).trial.in_case().call("seatMap", "GET", "/venues/arena/map").answers(200);
  EXPECT_EQ(kept.fails(kPassedOn), "");
}

TEST(KeptFailure, not_where_attempts_may_have_come_to_nobody) {
  Kept kept;
  kept.trial.in_case().run().capture.not_seen = {kept.trial.in_case().last().service + " (Connection refused)"};
  EXPECT_EQ(kept.waits(3).fails(kPassedOn), "");
}

TEST(KeptFailure, not_by_the_name_of_a_test) {
  Kept kept("load");
  kept.trial.in_case().last().tag.site->callers = "tests/test_retry.py:9:test_retries";
  EXPECT_EQ(kept.waits(3, false).fails(kPassedOn), "");
}

TEST(KeptFailure, may_be_seen_by_the_library_around_it) {
  Kept kept("load");
  kept.trial.in_case().last().tag.libraries = "7:p-retry%206.2.0";
  EXPECT_EQ(kept.waits(2).fails(kPassedOn), "kept-failure likely");
}

TEST(KeptFailure, not_where_a_breaker_says_that_it_asks_nobody) {
  EXPECT_NE(Kept().waits(3).fails("the circuit is open"), "kept-failure likely");
}

}  // namespace
}  // namespace retrial::oracles

// How long real clients go on, and what is no missing cap.
#include <gtest/gtest.h>

#include "tests/oracles/runs.h"

namespace retrial::oracles {
namespace {

Tale& get(Tale& tale) { return tale.call("load", "GET", "/things/lamp"); }
void tell(Tale& tale, int retries, auto gap, int status) {
  get(tale).gets_error(status);
  for (int i = 0; i < retries; i++) tale.again(gap(i)).gets_error(status);
}
Trial trial() {
  Trial t("P3", "error(503)");
  get(t.reference).answers(200);
  return t;
}

TEST(Caps, of_real_clients_reach_121_attempts_and_21_minutes) {
  auto many = trial();
  tell(many.in_case(), 120, [](int i) { return std::min(100 + 10 * i, 800) * kMillisecond; }, 503);
  EXPECT_EQ(many.verdicts(), "");
  auto long_one = trial();
  tell(long_one.in_case(), 6, [](int i) { return (20 * kSecond) << i; }, 503);
  auto& all = long_one.in_case().run().exchanges;
  EXPECT_GT(all.back().begun - all.front().begun, 20 * 60 * kSecond);
  EXPECT_EQ(long_one.verdicts(), "");
}

TEST(Caps, may_be_a_time_of_a_quarter_of_an_hour) {
  auto t = trial();
  tell(t.in_case(), 24, [](int i) { return std::min<Nanos>(kSecond << std::min(i, 6), 48 * kSecond); }, 503);
  EXPECT_EQ(t.verdicts(), "");
}

TEST(Caps, that_hold_on_one_status_and_not_on_another_are_missing) {
  auto t = trial();
  auto growing = [](int i) { return (100 + i * 20) * kMillisecond; };
  tell(t.in_case(), 3, growing, 503);
  EXPECT_EQ(t.verdicts(), "");
  tell(t.one_more(), 1001, growing, 429);
  EXPECT_EQ(t.verdicts(), "missing-cap likely");
}

TEST(Caps, of_a_caller_that_waits_no_longer_turn_a_hang_into_one_attempt) {
  Trial t("P2", "stall");
  get(t.reference).answers(200);
  get(t.in_case()).is_held().client_leaves(3 * kSecond);
  t.in_case().fails({thrown("TimeoutError", "the operation timed out")});
  EXPECT_EQ(t.verdicts(), "");
  EXPECT_TRUE(t.judge().notes.empty()) << "nor is it not-retried-transient";
}

}  // namespace
}  // namespace retrial::oracles

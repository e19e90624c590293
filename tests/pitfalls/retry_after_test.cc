// Retry-After: what it switches on, and in how many ways it is half obeyed.
#include <gtest/gtest.h>

#include "tests/oracles/runs.h"

namespace retrial::oracles {
namespace {
using trace::RetryAfter;

Tale& get(Tale& tale, const char* site = "load") { return tale.call(site, "GET", "/things/lamp"); }
// Told `seconds` each time, and come again after these.
void tell(Tale& tale, int seconds, const std::vector<Nanos>& gaps) {
  get(tale).gets_error(429, seconds);
  for (auto gap : gaps) tale.again(gap).gets_error(429, seconds);
}
Trial trial() {
  Trial t("P3", "error(429, retry-after)");
  get(t.reference).answers(200);
  return t;
}

TEST(RetryAfter, switches_retrying_on_and_what_was_not_told_it_is_not_compared) {
  Trial t("P3", "error(503)");
  for (auto site : {"a", "b", "c", "d", "e"}) get(t.reference, site).answers(200);
  for (auto site : {"a", "b", "c", "d"})
    get(t.in_case(), site).gets_error(503, 2).again(2'005 * kMillisecond).gets_error(503, 2);
  get(t.in_case(), "e").gets_error();
  EXPECT_EQ(t.verdicts(), "");
  get(t.in_case(), "f").gets_error(503, 2);
  EXPECT_EQ(t.verdicts(), "inconsistent-retry possible") << "the same error, and another answer to it";
}

TEST(RetryAfter, of_zero_is_obeyed_at_once_and_a_larger_one_tells_who_knows_zero_alone) {
  auto t = trial();
  tell(t.in_case(), 0, std::vector<Nanos>(7, kMillisecond));
  EXPECT_EQ(t.verdicts(), "") << "nor is it a missing delay: the service said so";
  tell(t.one_more(), 2, {kMillisecond});
  EXPECT_EQ(t.verdicts(), "ignores-retry-after certain");
}

TEST(RetryAfter, beyond_a_limit_of_the_clients_own_is_replaced_by_its_limit_by_a_short_wait_or_by_giving_up) {
  for (auto wait : {kSecond, 5 * kSecond, 500 * kMillisecond}) {
    auto t = trial();
    tell(t.in_case(), 1, {kSecond + 3 * kMillisecond});
    tell(t.one_more(), 90, {wait});
    EXPECT_EQ(t.verdicts(), "ignores-retry-after certain") << wait;
  }
  auto t = trial();
  tell(t.in_case(), 1, {kSecond + 3 * kMillisecond});
  tell(t.one_more(), 90, {});
  EXPECT_EQ(t.verdicts(), "") << "it gave up";
}

TEST(RetryAfter, stands_in_headers_of_the_services_own_in_milliseconds) {
  for (auto name : {"retry-after-ms", "x-ms-retry-after-ms", "x-amz-retry-after"})
    for (auto [gap, said] : {std::pair(300, "ignores-retry-after certain"), std::pair(1505, "")}) {
      Trial t("P3", "error(503) x 1, then pass");
      get(t.reference).answers(200);
      get(t.in_case()).gets_error().again(kSecond).answers(503, {}, {{name, "1500"}});
      t.in_case().again(gap * kMillisecond).answers(200).passes();
      EXPECT_EQ(t.verdicts(), said) << name;
    }
}

TEST(RetryAfter, that_is_added_to_the_clients_own_delay_is_obeyed_and_jitter_below_it_is_not) {
  auto t = trial();
  tell(t.in_case(), 2, {2'500 * kMillisecond, 3 * kSecond, 4 * kSecond});
  EXPECT_EQ(t.verdicts(), "");
  tell(t.one_more(), 2, {1'600 * kMillisecond});
  EXPECT_EQ(t.verdicts(), "ignores-retry-after certain");
}

TEST(RetryAfter, is_kept_also_by_who_asks_another_host_meanwhile) {
  auto ask_again_after = [](Nanos wait) {
    auto t = trial();
    get(t.in_case()).gets_error(429, 2).again(0).waits(1'500 * kMillisecond).gets_error();
    t.in_case().last().host = "127.0.0.1:9001";
    t.in_case().again(wait).answers(200).passes();
    return t.verdicts();
  };
  EXPECT_EQ(ask_again_after(600 * kMillisecond), "");
  EXPECT_EQ(ask_again_after(100 * kMillisecond), "ignores-retry-after certain");
}

}  // namespace
}  // namespace retrial::oracles

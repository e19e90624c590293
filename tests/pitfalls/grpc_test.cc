// What runtimes of gRPC do that is nobody's bug.
#include <gtest/gtest.h>

#include "tests/oracles/runs.h"

namespace retrial::oracles {
namespace {
constexpr const char* kRange = "/etcdserverpb.KV/Range";

Trial trial(std::string plan) {
  Trial t("P3", std::move(plan));
  t.reference.rpc("get", kRange).answers(200);
  t.in_case().rpc("get", kRange);
  return t;
}
std::string all(Trial& t) {
  std::string out;
  auto judgement = t.judge();
  for (auto* some : {&judgement.findings, &judgement.notes})
    for (auto& f : *some)
      if (f.verdict != "no-agent") out += f.verdict + " ";
  return out;
}

TEST(PlainHttp503, of_what_stands_before_a_service_may_be_retried_or_not) {
  auto retried = trial("error(503)");
  retried.in_case().gets_error().again(100 * kMillisecond).gets_error().again(300 * kMillisecond).answers(200);
  EXPECT_EQ(all(retried), "");
  auto not_retried = trial("error(503)");
  not_retried.in_case().gets_error();
  EXPECT_TRUE(not_retried.judge().findings.empty());
  EXPECT_EQ(all(not_retried), "not-retried-transient ") << "no more than a note";
}

TEST(TransparentRetry, is_missing_in_some_runtimes_and_that_is_no_finding) {
  auto t = trial("goaway");
  t.in_case().is_refused();
  EXPECT_EQ(all(t), "");
}

TEST(TransparentRetry, hides_no_fixed_wait_of_the_clients_own) {
  auto t = trial("grpc-status(UNAVAILABLE)");
  t.in_case().gets_status(trace::grpc_code::unavailable);
  for (int i = 0; i < 5; i++)
    t.in_case().again(kSecond).is_refused().again(0).gets_status(trace::grpc_code::unavailable);
  EXPECT_EQ(all(t), "no-backoff ");
}

TEST(Hedging, that_is_configured_and_not_acted_on_is_nothing) {
  auto t = trial("delay(20ms)");
  t.in_case().is_delayed().answers(200);
  EXPECT_EQ(all(t), "");
}

// A service configuration is one gRPC service's.
TEST(RetryPolicies, of_two_grpc_services_are_two_and_to_repeat_what_is_safe_is_never_odd) {
  auto five = [](const char* odd, bool most_retry) {
    Trial t("P3", "error(14)");
    for (auto site : {"a", "b", "c", "d", "e"}) {
      bool is_odd = std::string_view(site) == "e";
      auto path = is_odd ? odd : kRange;
      t.reference.rpc(site, path).answers(200);
      t.in_case().rpc(site, path).gets_status(14);
      if (is_odd != most_retry) t.in_case().again(100 * kMillisecond).answers(200);
    }
    return t.judge().findings.size();
  };
  EXPECT_EQ(five("/etcdserverpb.Lease/LeaseLeases", true), 0u);
  EXPECT_EQ(five(kRange, true), 1u);
  EXPECT_EQ(five(kRange, false), 0u);
}

TEST(Pushback, that_is_answered_by_sending_at_once_is_told) {
  auto t = trial("grpc-status(UNAVAILABLE, pushback=1s) x 1, then pass");
  t.in_case().gets_status(trace::grpc_code::unavailable, 1000).again(0).answers(200);
  EXPECT_EQ(all(t), "ignores-retry-after ");
}

}  // namespace
}  // namespace retrial::oracles

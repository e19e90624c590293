#include "trace/fault_spec.h"

#include <gtest/gtest.h>

#include <set>

#include "trace/fault_answer.h"

namespace retrial::trace {
namespace {

std::set<std::string_view> named(bool (*so)(const FaultSpec&), FaultSpec fault = {}) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(kLastFault); i++) {
    fault.name = static_cast<FaultName>(i);
    if (so(fault)) names.insert(word_of(fault.name));
  }
  return names;
}
using Names = std::set<std::string_view>;

TEST(FaultSpec, every_fault_has_a_word_of_its_own) {
  EXPECT_EQ(named([](auto& f) { return !show(f).empty(); }).size(), static_cast<std::size_t>(kLastFault) + 1);
  EXPECT_EQ(word_of(static_cast<FaultName>(static_cast<int>(kLastFault) + 1)), "");
}

TEST(FaultSpec, a_loss_is_what_leaves_the_client_without_a_word_on_what_was_done) {
  EXPECT_EQ(named(is_loss), (Names{"lost-response", "reset", "close", "stall"}));
  EXPECT_EQ(named(is_loss, {.telling = Telling::error}), (Names{"reset", "close", "stall"}));
  for (auto point : {Point::before_request, Point::after_head, Point::after_request, Point::idle})
    EXPECT_TRUE(is_loss({.name = FaultName::close, .point = point}));
  for (auto point : {Point::after_response_head, Point::in_body})
    EXPECT_FALSE(is_loss({.name = FaultName::close, .point = point}));
}
TEST(FaultSpec, a_status_is_told_by_errors_alone) {
  EXPECT_EQ(named(is_status), (Names{"error"}));
  EXPECT_EQ(named(is_status, {.telling = Telling::error}), (Names{"error", "lost-response"}));
}
TEST(FaultSpec, faults_of_a_connection_come_before_any_request) {
  EXPECT_EQ(named(is_of_connection), (Names{"refuse-connect", "connect-timeout", "slow-connect", "tls-refuse",
                                            "tls-expired", "tls-wrong-name", "tls-cut"}));
}
TEST(FaultSpec, what_only_takes_time_delivers_the_services_own_answer) {
  EXPECT_EQ(named(is_slowness), (Names{"delay", "slow-connect", "bandwidth", "drip"}));
  EXPECT_EQ(named([](auto& f) { return delivers(f) && !is_of_connection(f); }),
            (Names{"pass", "delay", "bandwidth", "drip"}));
}
TEST(FaultSpec, silence_is_ended_by_the_client_or_the_run) {
  EXPECT_EQ(named(is_silence, {.telling = Telling::stall, .bytes = 1}),
            (Names{"stall", "connect-timeout", "lost-response", "wrong-length"}));
  EXPECT_EQ(named(is_silence, {.bytes = -1}), (Names{"stall", "connect-timeout"}));
}

TEST(FaultAnswer, a_date_is_the_imf_fixdate_and_never_too_early) {
  EXPECT_EQ(http_date(784'111'777 * kSecond), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(http_date(784'111'776 * kSecond + 1), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(http_date(1'709'164'800 * kSecond), "Thu, 29 Feb 2024 00:00:00 GMT");
}
std::string retry_after(const FaultSpec& fault) {
  Exchange head{.method = "GET", .target = "/"};
  auto answer = answer_of(fault, profile_for(head), head, "retrial-1", 784'111'774 * kSecond);
  EXPECT_EQ(answer.status, 503);
  std::string all;
  for (auto& h : answer.headers)
    if (h.name == "Retry-After") all += h.value + ";";
  return all;
}
TEST(FaultAnswer, retry_after_is_seconds_or_a_date) {
  FaultSpec fault{.name = FaultName::error, .status = 503};
  fault.retry_after = 3;
  fault.retry = RetryAfter::seconds;
  EXPECT_EQ(retry_after(fault), "3;");
  fault.retry = RetryAfter::date;
  EXPECT_EQ(retry_after(fault), "Sun, 06 Nov 1994 08:49:37 GMT;");
}

}  // namespace
}  // namespace retrial::trace

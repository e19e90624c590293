#include "trace/fault_spec.h"

#include <gtest/gtest.h>

#include <set>

#include "trace/profiles/fault_answer.h"
#include "trace/status.h"

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
  EXPECT_EQ(named(is_loss), (Names{"lost-response", "reset", "close", "stall", "rst-stream"}));
  EXPECT_EQ(named(is_loss, {.telling = Telling::error}), (Names{"reset", "close", "stall", "rst-stream"}));
  for (auto name : {FaultName::close, FaultName::rst_stream}) {
    for (auto point : {Point::before_request, Point::after_head, Point::after_request, Point::idle})
      EXPECT_TRUE(is_loss({.name = name, .point = point}));
    for (auto point : {Point::after_response_head, Point::in_body})
      EXPECT_FALSE(is_loss({.name = name, .point = point}));
  }
}
TEST(FaultSpec, a_refused_stream_is_no_loss_since_the_client_knows_that_nothing_was_executed) {
  FaultSpec refused{.name = FaultName::rst_stream, .point = Point::before_request};
  refused.code = kRefusedStream;
  EXPECT_FALSE(is_loss(refused));
  for (std::uint32_t code = 0; code < stream_codes().size(); code++) {
    refused.code = code;
    EXPECT_EQ(is_loss(refused), stream_code(code) != "refused-stream");
  }
  EXPECT_EQ(stream_code(static_cast<std::uint32_t>(stream_codes().size())), "");
}
TEST(FaultSpec, a_status_is_told_by_errors_alone) {
  EXPECT_EQ(named(is_status), (Names{"error", "late-status"}));
  EXPECT_EQ(named(is_status, {.telling = Telling::error}), (Names{"error", "lost-response", "late-status"}));
}
TEST(FaultSpec, transient_is_filled_in_and_then_shown_as_what_it_became) {
  FaultSpec fault{.name = FaultName::error};
  EXPECT_EQ(show(fault), "error(transient)");
  EXPECT_EQ(show(with_status(fault, 503)), "error(503)");
  EXPECT_EQ(show(with_status(fault, 2014)), "grpc-status(UNAVAILABLE)");
  fault.retry = RetryAfter::date;
  fault.retry_after = 2;
  EXPECT_EQ(show(with_status(fault, 2014)), "grpc-status(UNAVAILABLE, pushback=2000ms)");
  fault.name = FaultName::lost_response;
  fault.telling = Telling::error;
  EXPECT_EQ(show(with_status(fault, 2014)), "lost-response(grpc-status(UNAVAILABLE, pushback=2000ms))");
}
TEST(FaultSpec, faults_of_a_connection_come_before_any_request) {
  EXPECT_EQ(named(is_of_connection), (Names{"refuse-connect", "connect-timeout", "slow-connect", "tls-refuse",
                                            "tls-expired", "tls-wrong-name", "tls-cut"}));
}
TEST(FaultSpec, what_only_takes_time_delivers_the_services_own_answer) {
  EXPECT_EQ(named(is_slowness), (Names{"delay", "slow-connect", "bandwidth", "drip", "message", "slow-trailers"}));
  FaultSpec other;
  other.of_message = OfMessage::drop;
  EXPECT_EQ(named(is_slowness, other), (Names{"delay", "slow-connect", "bandwidth", "drip", "slow-trailers"}));
  EXPECT_EQ(named([](auto& f) { return delivers(f) && !is_of_connection(f); }, other),
            (Names{"pass", "delay", "bandwidth", "drip", "slow-trailers"}));
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

std::string headers_of(const FaultSpec& fault) {
  Exchange head{.method = "POST", .target = "/p.S/M"};
  head.request_headers = {{"content-type", "application/grpc"}};
  auto answer = answer_of(fault, profile_for(head), head, "retrial-1", 0);
  std::string all;
  for (auto& h : answer.headers) all += h.name + ": " + h.value + "\n";
  return all;
}
TEST(FaultAnswer, pushback_stands_in_its_own_header_and_retry_after_in_none) {
  FaultSpec fault{.name = FaultName::error, .status = kGrpcStatus + grpc_code::unavailable};
  EXPECT_EQ(headers_of(fault).find("pushback"), std::string::npos);
  fault.pushback = 200;
  EXPECT_NE(headers_of(fault).find("grpc-retry-pushback-ms: 200\n"), std::string::npos);
  fault.pushback = -5;
  EXPECT_NE(headers_of(fault).find("grpc-retry-pushback-ms: -1\n"), std::string::npos);
  fault.pushback = kNoPushback;
  fault.retry = RetryAfter::seconds;
  fault.retry_after = 3;
  EXPECT_NE(headers_of(fault).find("grpc-retry-pushback-ms: 3000\n"), std::string::npos);
  EXPECT_EQ(headers_of(fault).find("etry-After"), std::string::npos);
}
TEST(FaultAnswer, a_late_status_is_told_in_trailers_which_have_no_content_type) {
  FaultSpec fault{.name = FaultName::error, .status = kGrpcStatus + grpc_code::internal};
  EXPECT_NE(headers_of(fault).find("content-type: application/grpc\n"), std::string::npos);
  fault.name = FaultName::late_status;
  auto late = headers_of(fault);
  EXPECT_EQ(late.find("content-type"), std::string::npos);
  EXPECT_NE(late.find("grpc-status: 13\n"), std::string::npos);
}

}  // namespace
}  // namespace retrial::trace

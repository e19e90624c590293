#include "trace/fault_spec.h"

#include <gtest/gtest.h>

#include <set>

#include "trace/fault_name.h"
#include "trace/fault_table.h"
#include "trace/profiles/fault_answer.h"
#include "trace/status.h"
#include "trace/stored_fault.h"

namespace retrial::trace {
namespace {

// Every fault of the table, made as it is where nothing else is said.
template <class F>
void each_fault(F f) {
  for (auto& row : fault_rows())
    if (row.shown) f(row, FaultSpec{.name = row.fault});
}
TEST(FaultTable, every_fault_has_a_word_and_a_number_of_its_own) {
  std::set<std::string_view> words;
  std::set<int> numbers;
  for (auto& row : fault_rows()) {
    EXPECT_TRUE(words.insert(row.word).second) << row.word;
    EXPECT_EQ(fault_row(row.word), &row);
    EXPECT_EQ(numbers.insert(static_cast<int>(row.fault)).second, row.shown != nullptr) << row.word;
  }
  EXPECT_EQ(*numbers.rbegin(), static_cast<int>(last_fault()));
  EXPECT_EQ(numbers.size(), static_cast<std::size_t>(last_fault()) + 1);
  auto beyond = static_cast<FaultName>(static_cast<int>(last_fault()) + 1);
  EXPECT_EQ(fault_row(beyond), nullptr);
  EXPECT_EQ(word_of(beyond), "");
  EXPECT_EQ(show({.name = beyond}), "");
}
TEST(FaultTable, every_fault_is_shown_by_its_word_and_its_parameters) {
  each_fault([](auto& row, auto fault) {
    auto shown = show(fault);
    EXPECT_TRUE(shown.starts_with(row.word)) << shown;
    auto rest = shown.substr(row.word.size());
    EXPECT_TRUE(rest.empty() || (!row.parameters.empty() && rest.starts_with('(') && rest.ends_with(')'))) << shown;
  });
}
// Whatever its arguments: what the client learns is one thing.
TEST(FaultTable, what_a_fault_does_is_said_once) {
  each_fault([](auto& row, auto fault) {
    for (int telling = 0; telling < 4; telling++)
      for (int point = 0; point < 6; point++)
        for (std::int64_t by : {-1, 0, 1})
          for (std::uint32_t code : {0u, kRefusedStream})
            for (int what = 0; what < 4; what++) {
              fault.telling = static_cast<Telling>(telling);
              fault.point = static_cast<Point>(point);
              fault.by = by;
              fault.code = code;
              fault.of_message = static_cast<OfMessage>(what);
              EXPECT_LE(is_status(fault) + is_loss(fault) + is_refusal(fault) + is_slowness(fault), 1) << show(fault);
              EXPECT_LE(fails_at_once(fault) + is_silence(fault) + is_slowness(fault), 1) << show(fault);
              EXPECT_EQ(delivers(fault), is_pass(fault) || row.of_connection || is_slowness(fault)) << show(fault);
              EXPECT_EQ(is_of_connection(fault), row.of_connection);
            }
  });
}

TEST(FaultSpec, a_loss_is_what_leaves_the_client_without_a_word_on_what_was_done) {
  for (auto telling : {Telling::reset, Telling::close, Telling::stall, Telling::error})
    EXPECT_EQ(is_loss({.name = FaultName::lost_response, .telling = telling}), telling != Telling::error);
  for (auto name : {FaultName::reset, FaultName::close, FaultName::stall, FaultName::rst_stream}) {
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
    EXPECT_EQ(is_refusal(refused), stream_code(code) == "refused-stream");
  }
  EXPECT_EQ(stream_code(static_cast<std::uint32_t>(stream_codes().size())), "");
}
TEST(FaultSpec, a_status_is_told_by_errors_alone) {
  for (auto name : {FaultName::error, FaultName::late_status}) EXPECT_TRUE(is_status({.name = name}));
  FaultSpec lost{.name = FaultName::lost_response, .telling = Telling::error};
  EXPECT_TRUE(is_status(lost));
  EXPECT_FALSE(is_status({.name = FaultName::lost_response}));
  EXPECT_EQ(with_status(lost, 503).status, 503);
  each_fault([](auto&, auto fault) { EXPECT_EQ(with_status(fault, 503).status, is_status(fault) ? 503 : 0); });
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
TEST(FaultSpec, what_only_takes_time_delivers_the_services_own_answer) {
  FaultSpec message{.name = FaultName::message};
  EXPECT_TRUE(is_slowness(message) && delivers(message));
  message.of_message = OfMessage::drop;
  EXPECT_FALSE(is_slowness(message) || delivers(message));
  each_fault([](auto& row, auto fault) {
    if (row.has(ArgumentKind::time) || row.has(ArgumentKind::spread)) {
      EXPECT_TRUE(is_slowness(fault)) << row.word;
    }
  });
}
TEST(FaultSpec, silence_is_ended_by_the_client_or_the_run) {
  EXPECT_TRUE(is_silence({.name = FaultName::lost_response, .telling = Telling::stall}));
  EXPECT_FALSE(is_silence({.name = FaultName::lost_response}));
  EXPECT_TRUE(is_silence({.name = FaultName::wrong_length, .by = 1}));
  EXPECT_FALSE(is_silence({.name = FaultName::wrong_length, .by = -1}));
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
TEST(FaultAnswer, after_execution_a_502_or_504_is_a_gateways_and_of_a_grpc_call_UNAVAILABLE) {
  auto* azure = profile_named("azure-storage");
  Exchange head{.method = "PUT", .target = "/account/container/blob"};
  FaultSpec fault{.name = FaultName::lost_response, .telling = Telling::error, .status = 504};
  auto told = answer_of(fault, *azure, head, "retrial-1", 0);
  EXPECT_EQ(told.status, 504);
  EXPECT_TRUE(told.body.starts_with("<html>") && told.body.contains("504 Gateway Timeout")) << told.body;
  for (auto& h : told.headers) EXPECT_FALSE(h.name.starts_with("x-ms-")) << h.name;
  EXPECT_EQ(status_told(fault, *azure, head), 504);
  fault.status = 503;
  EXPECT_TRUE(answer_of(fault, *azure, head, "retrial-1", 0).body.starts_with("<?xml"));

  head.grpc.is = true;
  fault.status = 504;
  EXPECT_EQ(status_told(fault, *profile_named("grpc"), head), kGrpcStatus + grpc_code::unavailable);
  fault.name = FaultName::error;
  EXPECT_EQ(status_told(fault, *profile_named("grpc"), head), 504) << "the service heard nothing of it";
  for (auto [status, code] : {std::pair{400, grpc_code::invalid_argument},
                              {401, grpc_code::unauthenticated},
                              {403, grpc_code::permission_denied},
                              {404, grpc_code::not_found}}) {
    fault.status = status;
    EXPECT_EQ(status_told(fault, *profile_named("grpc"), head), kGrpcStatus + code) << status;
  }
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

TEST(FaultAnswer, of_a_service_that_times_out_by_504_has_its_own_words) {
  Exchange head{.method = "GET"};
  FaultSpec fault{.name = FaultName::lost_response, .telling = Telling::error, .status = 504};
  auto told = answer_of(fault, *profile_named("kubernetes"), head, "retrial-1", 0);
  EXPECT_NE(told.body.find(R"("reason":"Timeout")"), std::string::npos) << told.body;
  EXPECT_TRUE(answer_of(fault, *profile_named("vault"), head, "retrial-1", 0).body.starts_with("<html>"));
}

}  // namespace
}  // namespace retrial::trace

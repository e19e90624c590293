// What is recorded of gRPC calls as they pass.
#include "tests/support/h2_end.h"

namespace retrial::test {
namespace {
using trace::Ending;

const std::string kHead = "HEADERS 1 | :status: 200 | content-type: application/grpc";

class H2Grpc : public H2Conversation {
 protected:
  void SetUp() override { meet(); }
  void call(std::string_view more = "") {
    passes(calls(1, more));
    client->data(1, message("ask"), true);
    service->hears("DATA 1 end " + message("ask"));
  }
  const trace::Exchange& answered(std::string_view trailers) {
    passes_back(kHead);
    service->data(1, message("answer"));
    client->hears("DATA 1 " + message("answer"));
    passes_back("HEADERS 1 end" + std::string(trailers));
    return over(1);
  }
};

TEST_F(H2Grpc, a_call_is_recorded_with_its_deadline_and_attempts) {
  call(" | grpc-timeout: 1500m | grpc-previous-rpc-attempts: 2");
  auto& e = answered(" | grpc-status: 0");
  EXPECT_TRUE(e.grpc.is);
  EXPECT_EQ(e.grpc.timeout, 1500 * kSecond / 1000);
  EXPECT_EQ(e.grpc.previous, 2);
  EXPECT_EQ(e.grpc.requests, 1u);
  EXPECT_EQ(e.grpc.responses, 1u);
  EXPECT_EQ(e.grpc.largest, 6u);
  EXPECT_FALSE(e.grpc.streams);
  EXPECT_FALSE(e.grpc.cut);
  EXPECT_EQ(e.grpc.pushback, trace::kNoPushback);
  EXPECT_EQ(e.service_status, 200);
  EXPECT_EQ(e.client_status, 200);
  EXPECT_EQ(trace::status_of(e, e.service_status), "OK");
}
TEST_F(H2Grpc, a_deadline_that_cannot_be_read_is_none) {
  call(" | grpc-timeout: 123456789S | grpc-previous-rpc-attempts: x");
  auto& e = answered(" | grpc-status: 0");
  EXPECT_EQ(e.grpc.timeout, 0);
  EXPECT_EQ(e.grpc.previous, 0);
}
TEST_F(H2Grpc, a_status_in_trailers_is_the_calls) {
  call();
  auto& e = answered(" | grpc-status: 8 | grpc-message: no%20room%E2%82%AC | grpc-retry-pushback-ms: 250");
  EXPECT_EQ(e.service_status, 2008);
  EXPECT_EQ(e.client_status, 2008);
  EXPECT_EQ(e.grpc.message, "no room\xe2\x82\xac");
  EXPECT_EQ(e.grpc.pushback, 250);
  EXPECT_EQ(e.ending, Ending::answered);
}
TEST_F(H2Grpc, a_status_in_the_head_is_the_calls) {
  call();
  passes_back(
      "HEADERS 1 end | :status: 200 | content-type: application/grpc | grpc-status: 14 | grpc-message: gone | "
      "grpc-retry-pushback-ms: -1");
  auto& e = over(1);
  EXPECT_EQ(e.service_status, 2014);
  EXPECT_EQ(e.client_status, 2014);
  EXPECT_EQ(e.grpc.message, "gone");
  EXPECT_LT(e.grpc.pushback, 0);
  EXPECT_NE(e.grpc.pushback, trace::kNoPushback);
  EXPECT_EQ(e.grpc.responses, 0u);
}
TEST_F(H2Grpc, a_pushback_that_cannot_be_read_forbids_retries) {
  call();
  EXPECT_EQ(answered(" | grpc-status: 14 | grpc-retry-pushback-ms: soon").grpc.pushback, -1);
}
TEST_F(H2Grpc, a_call_that_ends_without_a_status_is_unknown) {
  call();
  EXPECT_EQ(answered(" | x: y").service_status, 2002);
  passes(calls(3));
  passes("DATA 3 end");
  passes_back("HEADERS 3 | :status: 200 | content-type: application/grpc");
  passes_back("DATA 3 end");
  EXPECT_EQ(over(2).service_status, 2002);
  EXPECT_EQ(over(2).client_status, 2002);
  passes(calls(5));
  passes("DATA 5 end");
  passes_back("HEADERS 5 end | :status: 200 | content-type: application/grpc");
  EXPECT_EQ(over(3).service_status, 2002);
}
TEST_F(H2Grpc, an_answer_of_http_is_no_status_of_a_call) {
  call();
  passes_back("HEADERS 1 | :status: 503 | content-type: text/plain");
  passes_back("DATA 1 end busy");
  EXPECT_EQ(over(1).service_status, 503);
  EXPECT_EQ(over(1).client_status, 503);
}
TEST_F(H2Grpc, messages_are_counted_in_whatever_frames_they_come) {
  passes(calls(1));
  auto both = message(std::string(300, 'a')) + message("");
  for (std::size_t i = 0; i < both.size(); i += 7) {
    client->data(1, both.substr(i, 7), i + 7 >= both.size());
    auto heard = service->next();
    EXPECT_TRUE(heard.starts_with("DATA 1 "));
  }
  passes_back(kHead);
  service->data(1, message("abc").substr(0, 6));
  client->next();
  passes_back("HEADERS 1 end | grpc-status: 0");
  auto& e = over(1);
  EXPECT_EQ(e.grpc.requests, 2u);
  EXPECT_EQ(e.grpc.responses, 0u);
  EXPECT_EQ(e.grpc.largest, 300u);
  EXPECT_TRUE(e.grpc.streams);
  EXPECT_TRUE(e.grpc.cut);
}
TEST_F(H2Grpc, a_call_that_is_cancelled_keeps_what_was_seen_of_it) {
  passes(calls(1, " | grpc-timeout: 1S"));
  client->data(1, message("ask"));
  service->hears("DATA 1 " + message("ask"));
  passes_back(kHead);
  service->data(1, message("one") + message("two"));
  client->next();
  passes("RST_STREAM 1 CANCEL");
  auto& e = over(1);
  EXPECT_EQ(e.ending, Ending::client_left);
  EXPECT_EQ(e.grpc.requests, 1u);
  EXPECT_EQ(e.grpc.responses, 2u);
  EXPECT_EQ(e.grpc.timeout, kSecond);
  EXPECT_EQ(e.service_status, 200);
}
TEST_F(H2Grpc, what_is_no_call_is_none) {
  passes(asks(1, "POST /pkg.Service/Method", " | content-type: application/json"));
  passes_back("HEADERS 1 end | :status: 200 | grpc-status: 5");
  EXPECT_FALSE(over(1).grpc.is);
  EXPECT_EQ(over(1).service_status, 200);
}
TEST_F(H2Grpc, the_trailers_of_grpc_web_stand_in_its_body) {
  passes(asks(1, "POST /pkg.Service/Method", " | content-type: application/grpc-web", false));
  client->data(1, message("ask"), true);
  service->hears("DATA 1 end " + message("ask"));
  passes_back("HEADERS 1 | :status: 200 | content-type: application/grpc-web");
  auto trailers = message("grpc-status: 5\r\ngrpc-message: none\r\n");
  trailers[0] = '\x80';
  auto body = message("answer") + trailers;
  service->data(1, body, true);
  EXPECT_EQ(client->hears_body(1), body);
  EXPECT_TRUE(over(1).grpc.is);
  EXPECT_EQ(over(1).grpc.responses, 1u);
  EXPECT_EQ(over(1).service_status, 2005);
  EXPECT_EQ(over(1).grpc.message, "none");
}
}  // namespace
}  // namespace retrial::test

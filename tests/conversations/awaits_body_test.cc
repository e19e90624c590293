// A request whose operation stands in its body: its head is kept back until the body's beginning has come.
#include "tests/support/h2_end.h"
#include "trace/fault_name.h"

namespace retrial::test {
namespace {
using trace::Ending;
using trace::FaultName;
using trace::Telling;

constexpr std::string_view kHead =
    "POST /x HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n";
constexpr std::string_view kBody = "{\"a\":\"b\"}";
constexpr std::string_view kResponse = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
constexpr std::string_view kBusy = "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n";

class AwaitsBody : public Conversation {
 protected:
  void SetUp() override {
    director.awaits = true;
    auto both = connect();
    client = std::move(both.client);
    service = std::move(both.service);
  }
  std::string request() { return std::string(kHead) + std::string(kBody); }
  std::unique_ptr<Peer> client, service;
};

TEST_F(AwaitsBody, the_director_is_asked_once_with_the_body_and_the_service_gets_what_was_sent) {
  client->say(kHead);
  service->hears_nothing();
  EXPECT_TRUE(director.heads.empty());
  client->say(kBody);
  service->hears(request());
  ASSERT_EQ(director.heads.size(), 1u);
  EXPECT_EQ(director.heads[0].request_sample, kBody);
  service->say(kResponse);
  client->hears(kResponse);
  EXPECT_EQ(exchange().request_sample, kBody);
  EXPECT_EQ(exchange().request_bytes, kBody.size());
  EXPECT_NE(exchange().request_digest, 0u);
  EXPECT_EQ(exchange().ending, Ending::answered);
  EXPECT_EQ(recorder.order, (std::vector<std::string>{"head 1", "answer 1", "over 1"}));
}

TEST_F(AwaitsBody, it_is_the_same_wherever_the_request_is_split) {
  auto whole = request();
  for (std::size_t at = 1; at < whole.size(); at++) {
    client->say(whole.substr(0, at));
    quiet();
    client->say(whole.substr(at));
    service->hears(whole);
    EXPECT_EQ(director.heads.back().request_sample, kBody);
    service->say(kResponse);
    client->hears(kResponse);
  }
}

TEST_F(AwaitsBody, of_a_long_body_its_beginning_is_enough) {
  std::string body = "{\"a\":\"" + std::string(3 * trace::kSampleBytes, 'x') + "\"}";
  auto head = "POST /x HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: " +
              std::to_string(body.size()) + "\r\n\r\n";
  client->say(head + body.substr(0, trace::kSampleBytes));
  service->hears(head + body.substr(0, trace::kSampleBytes));
  EXPECT_EQ(director.heads.size(), 1u);
  client->say(body.substr(trace::kSampleBytes));
  service->hears(body.substr(trace::kSampleBytes));
  service->say(kResponse);
  client->hears(kResponse);
  EXPECT_EQ(exchange().request_bytes, body.size());
}

TEST_F(AwaitsBody, a_chunked_body_passes_as_it_came) {
  constexpr std::string_view kChunked =
      "POST /x HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
  constexpr std::string_view kChunks = "4\r\n{\"a\"\r\n5\r\n:\"b\"}\r\n0\r\n\r\n";
  client->say(kChunked);
  client->say("4\r\n{\"a\"\r\n");
  service->hears_nothing();
  client->say("5\r\n:\"b\"}\r\n0\r\n\r\n");
  service->hears(std::string(kChunked) + std::string(kChunks));
  EXPECT_EQ(director.heads.at(0).request_sample, kBody);
  service->say(kResponse);
  client->hears(kResponse);
}

TEST_F(AwaitsBody, a_request_without_a_body_and_one_that_waits_to_be_invited_are_decided_by_their_heads) {
  client->say("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  service->hears("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  service->say(kResponse);
  client->hears(kResponse);
  constexpr std::string_view kAsks = "POST /x HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n";
  client->say(kAsks);
  service->hears(kAsks);
  EXPECT_EQ(director.heads.size(), 2u);
}

TEST_F(AwaitsBody, an_error_is_told_and_the_service_hears_nothing) {
  director.plan(1, {FaultName::error, Telling::reset, 503, 0}, {503, "Busy", {}, ""});
  client->say(request());
  client->hears(kBusy);
  service->hears_nothing();
  EXPECT_TRUE(exchange().fired);
  EXPECT_EQ(exchange().request_sample, kBody);
  EXPECT_EQ(exchange().evidence, "503 was answered after the request with 9 bytes of body; the service heard nothing");
  client->say(request());
  service->hears(request());
  service->say(kResponse);
  client->hears(kResponse);
}

TEST_F(AwaitsBody, a_response_is_lost_after_the_service_has_the_whole_request) {
  director.plan(1, {FaultName::lost_response, Telling::reset, 0, 0});
  client->say(kHead);
  client->say(kBody);
  service->hears(request());
  service->say(kResponse);
  client->hears_rst();
  EXPECT_EQ(exchange().service_status, 200);
  EXPECT_EQ(exchange().ending, Ending::reset);
}

TEST_F(AwaitsBody, a_body_that_does_not_come_is_not_waited_for) {
  client->say(kHead);
  service->hears(kHead);  // after kEndless
  EXPECT_EQ(director.heads.at(0).request_sample, "");
  client->say(kBody);
  service->hears(kBody);
  service->say(kResponse);
  client->hears(kResponse);
  EXPECT_EQ(exchange().request_sample, kBody);
}

TEST_F(AwaitsBody, a_client_that_leaves_before_its_body_is_recorded_and_nothing_was_done_to_it) {
  director.plan(1, {FaultName::error, Telling::reset, 503, 0}, {503, "Busy", {}, ""});
  client->say(std::string(kHead) + "{");
  quiet();
  client->reset();
  auto& e = exchange();
  EXPECT_EQ(e.ending, Ending::client_left);
  EXPECT_FALSE(e.fired);
  EXPECT_EQ(e.evidence, "not fired: the request ended before its body was read");
  EXPECT_EQ(director.ended.size(), 1u);
  quiet();
  EXPECT_EQ(proxy->connections(), 0u);
}

TEST_F(AwaitsBody, a_run_that_ends_meanwhile_has_it_as_open) {
  client->say(kHead);
  quiet();
  proxy.reset();
  EXPECT_EQ(exchange().ending, Ending::open);
}

TEST_F(AwaitsBody, what_cannot_be_read_further_is_not_held_back) {
  constexpr std::string_view kChunked = "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  client->say(kChunked);
  service->hears_nothing();
  client->say("zz\r\n");
  service->hears(std::string(kChunked) + "zz\r\n");
}

class AwaitsBodyOnStreams : public H2Conversation {
 protected:
  void SetUp() override {
    director.awaits = true;
    meet();
  }
};

TEST_F(AwaitsBodyOnStreams, a_head_waits_for_its_body_and_other_streams_for_nothing) {
  client->say(asks(1, "POST /x", "", false));
  client->say("DATA 1 bo");
  service->hears_nothing();
  client->say(asks(3));
  service->hears(asks(1));  // streams are numbered as their heads come
  service->say("HEADERS 1 end | :status: 204");
  client->hears("HEADERS 3 end | :status: 204");
  client->say("DATA 1 end dy");
  service->hears(asks(3, "POST /x", "", false));
  service->hears("DATA 3 end body");
  EXPECT_EQ(director.heads.back().request_sample, "body");
  service->say("HEADERS 3 end | :status: 204");
  client->hears("HEADERS 1 end | :status: 204");
  EXPECT_EQ(over(1).ending, Ending::answered);
}

TEST_F(AwaitsBodyOnStreams, an_error_is_told_and_a_stream_that_is_reset_meanwhile_is_recorded) {
  plan(1, "error(503)");
  client->say(asks(1, "POST /x", "", false));
  client->say("DATA 1 end body");
  EXPECT_TRUE(client->next().starts_with("HEADERS 1 | :status: 503"));
  client->hears_body(1);
  EXPECT_EQ(over(1).request_sample, "body");
  client->say(asks(3, "POST /x", "", false));
  client->say("RST_STREAM 3 CANCEL");
  EXPECT_EQ(over(2).ending, Ending::client_left);
  service->hears_nothing();
}

}  // namespace
}  // namespace retrial::test

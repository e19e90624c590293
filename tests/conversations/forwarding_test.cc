// What no fault touches: every byte, FIN and RST arrives as it was sent.
#include "tests/support/conversation.h"
#include "trace/fault_name.h"

namespace retrial::test {
namespace {
using trace::Ending;

class Forwarding : public Conversation {};

TEST_F(Forwarding, a_request_and_its_response_pass_byte_by_byte) {
  auto [client, service] = connect();
  client->say("GET /a?b HTTP/1.1\r\nhOST:  h \r\nX:1\r\nx:2\r\n\r\n");
  service->hears("GET /a?b HTTP/1.1\r\nhOST:  h \r\nX:1\r\nx:2\r\n\r\n");
  service->say("HTTP/1.1 200 Fine\r\nserver:s\r\ncontent-length:2\r\n\r\nhi");
  client->hears("HTTP/1.1 200 Fine\r\nserver:s\r\ncontent-length:2\r\n\r\nhi");
  auto& e = exchange();
  EXPECT_EQ(e.method, "GET");
  EXPECT_EQ(e.target, "/a?b");
  EXPECT_EQ(e.host, "h");
  EXPECT_EQ(e.service, "127.0.0.1:8080");
  EXPECT_EQ(e.pid, 42);
  EXPECT_EQ(e.service_status, 200);
  EXPECT_EQ(e.client_status, 200);
  EXPECT_EQ(e.ending, Ending::answered);
  EXPECT_EQ(e.response_bytes, 2u);
  EXPECT_EQ(e.response_sample, "hi");
  EXPECT_EQ(find(e.response_headers, "Server"), "s");
  EXPECT_EQ(e.tag.test, "the running test");
  EXPECT_TRUE(e.fresh);
  EXPECT_FALSE(e.fired);
  EXPECT_LE(e.begun, e.request_read);
  EXPECT_LE(e.request_read, e.answered);
  EXPECT_LE(e.answered, e.service_done);
  EXPECT_LE(e.service_done, e.told);
  EXPECT_EQ(recorder.order, (std::vector<std::string>{"head 1", "answer 1", "over 1"}));
  EXPECT_EQ(director.ended, std::vector<std::uint64_t>{1});
}
TEST_F(Forwarding, the_agents_headers_are_cut_out_and_told_to_the_director) {
  auto [client, service] = connect();
  client->say(
      "GET / HTTP/1.1\r\nX-Retrial-Callers: b%20c.py:9:g\r\nX-Retrial-Site: src/a%20b.py:7:f\r\nHost: h\r\n"
      "x-retrial-call: 5-1\r\nx-retrial-test: t::a\r\nX-RETRIAL-PHASE: setup\r\n\r\n");
  service->hears("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  ASSERT_EQ(director.heads.size(), 1u);
  auto& tag = director.heads[0].tag;
  ASSERT_TRUE(tag.site);
  EXPECT_EQ(tag.site->file, "src/a b.py");
  EXPECT_EQ(tag.site->line, 7);
  EXPECT_EQ(tag.site->callers, "b%20c.py:9:g") << "some clients send their fields in order of their names";
  EXPECT_EQ(tag.call_id, "5-1");
  EXPECT_EQ(tag.test, "t::a");
  EXPECT_EQ(tag.phase, trace::Phase::setup);
  EXPECT_EQ(director.heads[0].request_headers.size(), 1u);
}
TEST_F(Forwarding, the_agents_headers_stay_where_the_option_says_so) {
  start({.keep_tags = true});
  auto [client, service] = connect();
  client->say("GET / HTTP/1.1\r\nx-retrial-call: 5-1\r\n\r\n");
  service->hears("GET / HTTP/1.1\r\nx-retrial-call: 5-1\r\n\r\n");
}
TEST_F(Forwarding, a_connection_is_used_again_and_its_exchanges_stand_apart) {
  auto [client, service] = connect();
  client->say("POST /1 HTTP/1.1\r\nContent-Length: 3\r\nA: b\r\n\r\nabc");
  service->hears("POST /1 HTTP/1.1\r\nContent-Length: 3\r\nA: b\r\n\r\nabc");
  service->say("HTTP/1.1 404 Not Found\r\nContent-Length: 1\r\n\r\nx");
  client->hears("HTTP/1.1 404 Not Found\r\nContent-Length: 1\r\n\r\nx");
  client->say("GET /2 HTTP/1.1\r\n\r\n");
  service->hears("GET /2 HTTP/1.1\r\n\r\n");
  service->say("HTTP/1.1 204 No Content\r\n\r\n");
  client->hears("HTTP/1.1 204 No Content\r\n\r\n");
  auto& first = exchange(1);
  EXPECT_EQ(first.request_sample, "abc");
  EXPECT_NE(first.request_digest, 0u);
  auto& second = exchange(2);
  EXPECT_EQ(second.id, 2u);
  EXPECT_EQ(second.connection, first.connection);
  EXPECT_FALSE(second.fresh);
  EXPECT_EQ(second.request_sample, "");
  EXPECT_EQ(second.request_digest, 0u);
  EXPECT_EQ(second.response_sample, "");
  EXPECT_TRUE(second.response_headers.empty());
  EXPECT_TRUE(second.request_headers.empty());
}
TEST_F(Forwarding, chunks_and_trailers_pass_as_they_were_framed) {
  auto [client, service] = connect();
  std::string request = "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n";
  client->say(request);
  service->hears(request);
  std::string response = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nz\r\n00\r\n\r\n";
  service->say(response);
  client->hears(response);
  EXPECT_EQ(exchange().request_sample, "abc");
  EXPECT_EQ(exchange().response_sample, "z");
  EXPECT_EQ(exchange().request_bytes, 27u);
}
TEST_F(Forwarding, a_conversation_that_comes_byte_by_byte_is_the_same) {
  auto [client, service] = connect();
  std::string request =
      "PUT /x HTTP/1.1\r\nx-retrial-call: 1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n";
  std::string response = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  for (int twice = 0; twice < 2; twice++) {
    for (char c : request) {
      client->say({&c, 1});
      quiet();
    }
    service->hears("PUT /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n");
    for (char c : response) {
      service->say({&c, 1});
      quiet();
    }
    client->hears(response);
  }
  EXPECT_EQ(exchange(2).request_sample, "ab");
  EXPECT_EQ(exchange(2).request_digest, exchange(1).request_digest);
}
TEST_F(Forwarding, a_body_is_asked_for_with_100_continue_and_sent_then) {
  auto [client, service] = connect();
  client->say("PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
  service->hears("PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
  service->say("HTTP/1.1 100 Continue\r\n\r\n");
  client->hears("HTTP/1.1 100 Continue\r\n\r\n");
  client->say("body");
  service->hears("body");
  service->say("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n");
  client->hears("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(exchange().service_status, 201);
}
TEST_F(Forwarding, an_answer_to_head_has_a_length_and_no_body) {
  auto [client, service] = connect();
  client->say("HEAD / HTTP/1.1\r\n\r\n");
  service->hears("HEAD / HTTP/1.1\r\n\r\n");
  service->say("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
  client->hears("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
  client->say("GET / HTTP/1.1\r\n\r\n");
  service->hears("GET / HTTP/1.1\r\n\r\n");
  service->say("HTTP/1.1 304 Not Modified\r\nContent-Length: 1000\r\n\r\n");
  client->hears("HTTP/1.1 304 Not Modified\r\nContent-Length: 1000\r\n\r\n");
  EXPECT_EQ(exchange(2).service_status, 304);
}
TEST_F(Forwarding, an_http_1_0_response_ends_with_its_connection) {
  auto [client, service] = connect();
  client->say("GET / HTTP/1.0\r\n\r\n");
  service->hears("GET / HTTP/1.0\r\n\r\n");
  service->say("HTTP/1.0 200 OK\r\n\r\nall of it");
  client->hears("HTTP/1.0 200 OK\r\n\r\nall of it");
  EXPECT_EQ(proxy->open_exchanges(), 1u);
  service->close();
  client->hears_fin();
  EXPECT_EQ(exchange().ending, Ending::answered);
  EXPECT_NE(exchange().service_done, 0);
  EXPECT_TRUE(exchange().closes);
}
TEST_F(Forwarding, a_pipelined_request_waits_for_the_answer_before_it) {
  auto [client, service] = connect();
  client->say("GET /1 HTTP/1.1\r\n\r\nPOST /2 HTTP/1.1\r\nContent-Length: 2\r\n\r\nabGET /3 HTTP/1.1\r\n\r\n");
  service->hears("GET /1 HTTP/1.1\r\n\r\n");
  service->hears_nothing();
  for (auto [request, n] :
       {std::pair{"POST /2 HTTP/1.1\r\nContent-Length: 2\r\n\r\nab", 1}, {"GET /3 HTTP/1.1\r\n\r\n", 2}, {"", 3}}) {
    service->say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    client->hears("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    service->hears(request);
    service->hears_nothing();
    EXPECT_EQ(recorder.exchanges.size(), static_cast<std::size_t>(n));
  }
  EXPECT_EQ(exchange(3).target, "/3");
}
TEST_F(Forwarding, a_service_may_answer_before_it_has_the_whole_request) {
  auto [client, service] = connect();
  client->say("POST / HTTP/1.1\r\nContent-Length: 6\r\n\r\nabc");
  service->hears("POST / HTTP/1.1\r\nContent-Length: 6\r\n\r\nabc");
  service->say("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno");
  client->hears("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno");
  EXPECT_EQ(proxy->open_exchanges(), 0u);
  client->say("defGET /2 HTTP/1.1\r\n\r\n");
  service->hears("defGET /2 HTTP/1.1\r\n\r\n");
  auto& e = exchange();
  EXPECT_EQ(e.ending, Ending::answered);
  EXPECT_EQ(e.request_sample, "abcdef");
  EXPECT_LE(e.told, e.request_read);
}
TEST_F(Forwarding, half_of_a_connection_may_be_closed) {
  auto [client, service] = connect();
  client->say("GET / HTTP/1.1\r\n\r\n");
  client->finish();
  service->hears("GET / HTTP/1.1\r\n\r\n");
  service->hears_fin();
  service->say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  client->hears("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  client->hears_nothing();
  service->close();
  client->hears_fin();
  EXPECT_EQ(exchange().ending, Ending::answered);
}
TEST_F(Forwarding, a_client_that_left_is_not_said_to_have_been_answered) {
  auto [client, service] = connect();
  client->say("GET / HTTP/1.1\r\n\r\n");
  client->close();
  service->hears("GET / HTTP/1.1\r\n\r\n");
  service->hears_fin();
  service->say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  auto& e = exchange();
  EXPECT_EQ(e.ending, Ending::client_left);
  EXPECT_EQ(e.service_status, 200);
  EXPECT_LT(e.told, e.answered);
  service->hears_rst();
}
TEST_F(Forwarding, a_service_that_resets_is_told_to_a_client_that_has_closed_its_half) {
  auto [client, service] = connect();
  client->say("GET / HTTP/1.1\r\n\r\n");
  client->finish();
  service->hears("GET / HTTP/1.1\r\n\r\n");
  service->hears_fin();
  service->say("HTTP/1.1 200 OK\r\n\r\nhello");
  client->hears("HTTP/1.1 200 OK\r\n\r\nhello");
  service->reset();
  client->hears_rst();
  EXPECT_EQ(exchange().ending, Ending::reset);
}
TEST_F(Forwarding, a_service_that_leaves_unanswered_a_client_that_has_said_FIN_has_been_left) {
  for (bool reset : {false, true}) {
    auto [client, service] = connect();
    client->say("GET / HTTP/1.1\r\n\r\n");
    client->finish();
    service->hears("GET / HTTP/1.1\r\n\r\n");
    service->hears_fin();
    reset ? service->reset() : service->close();
    reset ? client->hears_rst() : client->hears_fin();
    quiet();
    EXPECT_EQ(recorder.exchanges.back().ending, Ending::client_left);
    EXPECT_EQ(proxy->connections(), 0u);
  }
}
TEST_F(Forwarding, idle_connections_end_when_either_side_says_so) {
  auto one = connect();
  one.client->hears_nothing();
  one.client->close();
  one.service->hears_fin();
  auto two = connect();
  two.service->close();
  two.client->hears_fin();
  auto three = connect();
  three.client->reset();
  three.service->hears_rst();
  auto four = connect();
  four.service->reset();
  four.client->hears_rst();
  EXPECT_TRUE(recorder.order.empty());
  EXPECT_EQ(proxy->open_exchanges(), 0u);
}
TEST_F(Forwarding, a_request_on_a_connection_that_the_service_has_closed_fails_as_it_would_without_us) {
  auto [client, service] = connect();
  service->close();
  client->hears_fin();
  client->say("GET / HTTP/1.1\r\n\r\n");
  client->hears_rst();
  auto& e = exchange();
  EXPECT_EQ(e.ending, Ending::reset);
  EXPECT_FALSE(e.fired);
  EXPECT_EQ(e.service_status, 0);
}
TEST_F(Forwarding, a_service_that_breaks_off_ends_the_exchange_in_its_own_way) {
  auto one = connect();
  one.client->say("GET /1 HTTP/1.1\r\n\r\n");
  one.service->hears("GET /1 HTTP/1.1\r\n\r\n");
  one.service->close();
  one.client->hears_fin();
  EXPECT_EQ(exchange(1).ending, Ending::closed);
  auto two = connect();
  two.client->say("GET /2 HTTP/1.1\r\n\r\n");
  two.service->hears("GET /2 HTTP/1.1\r\n\r\n");
  two.service->reset();
  two.client->hears_rst();
  EXPECT_EQ(exchange(2).ending, Ending::reset);
  auto three = connect();
  three.client->say("GET /3 HTTP/1.1\r\n\r\n");
  three.service->hears("GET /3 HTTP/1.1\r\n\r\n");
  three.service->say("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
  three.client->hears("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
  three.service->close();
  three.client->hears_fin();
  EXPECT_EQ(exchange(3).ending, Ending::closed);
  EXPECT_EQ(exchange(3).service_status, 200);
  EXPECT_EQ(exchange(3).response_sample, "abc");
  EXPECT_EQ(exchange(3).service_done, 0);
  auto four = connect();
  four.client->say("GET /4 HTTP/1.1\r\n\r\n");
  four.service->hears("GET /4 HTTP/1.1\r\n\r\n");
  four.service->say("HTTP/1.1 2");
  four.service->finish();
  four.client->hears("HTTP/1.1 2");
  four.client->hears_fin();
  EXPECT_EQ(exchange(4).service_status, 0);
}
TEST_F(Forwarding, a_request_that_is_cut_off_is_passed_as_far_as_it_came) {
  auto [client, service] = connect();
  client->say("GET / HT");
  service->hears_nothing();
  EXPECT_EQ(proxy->open_exchanges(), 1u);
  client->finish();
  service->hears("GET / HT");
  service->hears_fin();
  service->say("HTTP/1.1 400 Bad Request\r\n\r\n");
  client->hears("HTTP/1.1 400 Bad Request\r\n\r\n");
  EXPECT_EQ(proxy->open_exchanges(), 0u);
  EXPECT_TRUE(recorder.order.empty());
}
TEST_F(Forwarding, a_client_that_leaves_in_the_middle_of_its_request_is_passed_on) {
  auto [client, service] = connect();
  client->say("POST / HTTP/1.1\r\nContent-Length: 6\r\n\r\nabc");
  service->hears("POST / HTTP/1.1\r\nContent-Length: 6\r\n\r\nabc");
  client->reset();
  service->hears_rst();
  EXPECT_EQ(exchange().ending, Ending::client_left);
  EXPECT_EQ(exchange().request_sample, "abc");
  EXPECT_EQ(exchange().request_read, 0);
}
TEST_F(Forwarding, empty_lines_before_a_request_do_not_begin_it) {
  auto [client, service] = connect();
  client->say("\r\n");
  quiet();
  EXPECT_EQ(proxy->open_exchanges(), 0u);
  client->say("GET / HTTP/1.1\r\n\r\n");
  service->hears("\r\nGET / HTTP/1.1\r\n\r\n");
}
TEST_F(Forwarding, the_end_of_the_proxy_records_what_is_still_open) {
  auto [client, service] = connect();
  client->say("GET / HTTP/1.1\r\n\r\n");
  service->hears("GET / HTTP/1.1\r\n\r\n");
  proxy.reset();
  EXPECT_EQ(exchange().ending, Ending::open);
  EXPECT_EQ(exchange().told, 0);
  EXPECT_EQ(director.ended, std::vector<std::uint64_t>{1});
}
TEST_F(Forwarding, secrets_do_not_reach_the_trace_and_do_reach_the_service) {
  auto [client, service] = connect();
  std::string request =
      "POST /a?sig=abc&x=1 HTTP/1.1\r\nAuthorization: Bearer abc\r\nCookie: s=1\r\nContent-Length: 30\r\n\r\n"
      "{\"password\":\"abc\",\"user\":\"me\"}";
  client->say(request);
  service->hears(request);
  service->say("HTTP/1.1 200 OK\r\nSet-Cookie: s=2\r\nContent-Length: 0\r\n\r\n");
  client->hears("HTTP/1.1 200 OK\r\nSet-Cookie: s=2\r\nContent-Length: 0\r\n\r\n");
  auto& e = exchange();
  EXPECT_EQ(e.target, "/a?sig=***&x=1");
  EXPECT_EQ(find(e.request_headers, "authorization"), "***");
  EXPECT_EQ(find(e.request_headers, "cookie"), "***");
  EXPECT_EQ(find(e.response_headers, "set-cookie"), "***");
  EXPECT_EQ(e.request_sample, "{\"password\":\"***\",\"user\":\"me\"}");
  EXPECT_EQ(director.heads[0].target, "/a?sig=***&x=1");
}

TEST_F(Forwarding, of_a_compressed_request_what_it_holds_is_kept_without_its_secrets) {
  auto [client, service] = connect();
  // printf 'password=Hunter2&n=1' | gzip -n
  std::string body(
      "\x1f\x8b\x08\0\0\0\0\0\0\x03\x2b\x48\x2c\x2e\x2e\xcf\x2f\x4a\xb1\xf5\x28\xcd\x2b\x49\x2d\x32\x52"
      "\xcb\xb3\x35\x04\0\xdc\x32\xae\x6b\x14\0\0\0",
      40);
  std::string head = "POST / HTTP/1.1\r\nContent-Encoding: gzip\r\nContent-Length: 40\r\n\r\n";
  client->say(head + body);
  service->hears(head + body);
  service->say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  client->hears("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(exchange(1).request_sample, "password=***&n=1");
  EXPECT_EQ(exchange(1).request_bytes, 40u);
}

TEST_F(Forwarding, of_a_compressed_body_that_cannot_be_read_no_sample_is_kept) {
  auto [client, service] = connect();
  client->say("POST / HTTP/1.1\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc");
  service->hears("POST / HTTP/1.1\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc");
  service->say("HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 2\r\n\r\nok");
  client->hears("HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 2\r\n\r\nok");
  EXPECT_EQ(exchange(1).request_sample, "");
  EXPECT_EQ(exchange(1).response_sample, "");
  EXPECT_NE(exchange(1).request_digest, 0u);
  client->say("POST / HTTP/1.1\r\nContent-Encoding: identity\r\nContent-Length: 3\r\n\r\nabc");
  service->hears("POST / HTTP/1.1\r\nContent-Encoding: identity\r\nContent-Length: 3\r\n\r\nabc");
  service->say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  client->hears("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  EXPECT_EQ(exchange(2).request_sample, "abc");
  EXPECT_EQ(exchange(2).response_sample, "ok");
}

class Time : public Conversation {
 protected:
  void SetUp() override { proxy = std::make_unique<proxy::Proxy>(loop, manual, director, recorder); }
  void TearDown() override { proxy.reset(); }
  ManualClock manual;
};

TEST_F(Time, of_an_exchange_is_taken_where_its_bytes_pass) {
  auto [client, service] = connect();
  manual.advance(10);
  auto began = manual.now();
  client->say("POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\na");
  quiet();
  manual.advance(10);
  client->say("b");
  service->hears("POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nab");
  manual.advance(10);
  service->say("HTTP/1.1 200 OK\r\n");
  quiet();
  manual.advance(10);
  service->say("Content-Length: 2\r\n\r\no");
  client->hears("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no");
  manual.advance(10);
  service->say("k");
  client->hears("k");
  auto& e = exchange();
  EXPECT_EQ(e.begun, began);
  EXPECT_EQ(e.request_read, began + 10);
  EXPECT_EQ(e.answered, began + 20);
  EXPECT_EQ(e.service_done, began + 40);
  EXPECT_EQ(e.told, began + 40);
}
TEST_F(Time, without_a_byte_is_kept_at_its_longest) {
  EXPECT_EQ(proxy->last_activity(), 0);
  auto [client, service] = connect();
  auto came = manual.now();
  EXPECT_EQ(proxy->last_activity(), came);
  manual.advance(5 * kSecond);
  client->say("GET / HTTP/1.1\r\n\r\n");
  service->hears("GET / HTTP/1.1\r\n\r\n");
  manual.advance(2 * kSecond);
  service->say("HTTP/1.1 204 No Content\r\n\r\n");
  client->hears("HTTP/1.1 204 No Content\r\n\r\n");
  EXPECT_EQ(proxy->last_activity(), came + 7 * kSecond);
  EXPECT_EQ(proxy->longest_gap(), 5 * kSecond);
}
TEST_F(Time, that_a_held_exchange_was_left_untouched_begins_again_when_the_client_stirs) {
  director.plan(1, {trace::FaultName::stall, trace::Telling::reset, 0, 0});
  auto [client, service] = connect();
  client->say("GET / HTTP/1.1\r\n\r\n");
  quiet();
  auto held = manual.now();
  EXPECT_EQ(proxy->held_since(), held);
  manual.advance(kSecond);
  EXPECT_EQ(proxy->held_since(), held);
  client->say("GET /again HTTP/1.1\r\n\r\n");
  quiet();
  EXPECT_EQ(proxy->held_since(), held + kSecond);
  manual.advance(kSecond);
  client->close();
  auto& e = exchange();
  EXPECT_EQ(e.told, held + 2 * kSecond);
  EXPECT_EQ(e.fired_at, held);
  EXPECT_EQ(recorder.exchanges.size(), 1u);
}

}  // namespace
}  // namespace retrial::test

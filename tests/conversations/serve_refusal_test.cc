// What a proxy that stays does not pass on, where forward clients want to go, and what takes too long.
#include "tests/support/serving.h"
#include "trace/fault_name.h"

namespace retrial::test {
namespace {
using proxy::ListenMode;
using proxy::Protocol;

class Refusal : public Serving {
 protected:
  void refused(std::string_view request, std::string_view status, ListenMode mode = ListenMode::reverse) {
    SCOPED_TRACE(request);
    auto before = proxy->counts().refused;
    auto client = comes(mode);
    client->say(request);
    EXPECT_EQ(client->hears_some(12), "HTTP/1.1 " + std::string(status));
    client->hears_some(client->waiting());
    client->hears_fin();
    listener.accepts_nobody();
    EXPECT_EQ(proxy->counts().refused, before + 1);
  }
  std::string url(std::string_view path) const { return "http://" + listener.authority() + std::string(path); }
};

TEST_F(Refusal, a_request_that_can_be_read_two_ways_never_reaches_the_service) {
  std::string get = "GET / HTTP/1.1\r\nHost: x\r\n", post = "POST / HTTP/1.1\r\nHost: x\r\n";
  for (auto& request :
       {get + "X: 1\r\n folded\r\n\r\n", post + "Content-Length: 1\r\nContent-Length: 1\r\n\r\na",
        post + "Content-Length: 1, 1\r\n\r\na", post + "Content-Length: +1\r\n\r\na",
        post + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        post + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", post + "Transfer-Encoding: identity\r\n\r\n",
        post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        post + "Content-Length : 1\r\n\r\na", post + "Content\rLength: 1\r\n\r\na", get + "A\n: 1\r\n\r\n",
        std::string("GET / HTTP/1.1\nHost: x\n\n"), std::string("GET  / HTTP/1.1\r\nHost: x\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\n Host: x\r\n\r\n"),
        std::string("POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")})
    refused(request, "400");
  EXPECT_TRUE(recorder.order.empty());
}
TEST_F(Refusal, what_cannot_be_read_is_told_with_its_place_in_answer_log_and_record) {
  std::vector<std::string> said;
  serve({.say = [&](auto& line) { said.push_back(line); }});
  auto logged = [&](std::string_view part) {
    return std::ranges::any_of(said, [&](auto& line) { return line.find(part) != line.npos; });
  };
  auto client = comes(ListenMode::reverse);
  client->say("GET / HTTP/1.1\r\nHost: x\r\nA b: 1\r\n\r\n");
  client->hears_some(12);
  run_until([&] { return client->has_ended(); });
  auto why = "cannot be read as HTTP/1.1: line 3, byte 2 of its head: a header field's name";
  EXPECT_NE(client->take().find(why), std::string::npos);
  EXPECT_TRUE(logged(why));

  client = comes(ListenMode::reverse);
  client->say("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  auto service = listener.accepts();
  service->hears_some(20);
  service->say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n");
  run_until([&] { return client->has_ended(); });
  why = "sent what cannot be read as HTTP/1.1: its chunked body: a chunk's size";
  EXPECT_TRUE(logged(why));
  EXPECT_NE(exchange(1).evidence.find(why), std::string::npos) << exchange(1).evidence;

  client = comes(ListenMode::reverse);
  client->say("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  service = listener.accepts();
  service->hears_some(20);
  service->say("220 ready\r\n");
  EXPECT_EQ(client->hears_some(12), "HTTP/1.1 502");
  why = "answered what cannot be read as HTTP/1.1: line 1, byte 1 of its head";
  EXPECT_TRUE(logged(why));
  EXPECT_NE(exchange(2).evidence.find(why), std::string::npos) << exchange(2).evidence;
  serve({});  // what hears of it goes
}
TEST_F(Refusal, a_request_without_one_good_host_and_target_never_reaches_the_service) {
  for (std::string request :
       {"GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", "GET a HTTP/1.1\r\nHost: x\r\n\r\n", "GET * HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /\x7f HTTP/1.1\r\nHost: x\r\n\r\n", "GET a?b=http://c/d HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET http:///d HTTP/1.1\r\nHost: x\r\n\r\n", "GET http://u@/d HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET http://a\\b/ HTTP/1.1\r\nHost: x\r\n\r\n", "CONNECT / HTTP/1.1\r\nHost: x\r\n\r\n"})
    refused(request, "400");
}
TEST_F(Refusal, what_is_no_http_1_never_reaches_the_service) {
  refused("\x16\x03\x01\x02", "400");
  refused("PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n", "400");
  refused("GET / HTTP/2.0\r\n\r\n", "400");
}
TEST_F(Refusal, limits_are_told_by_their_own_status) {
  proxy::Options options;
  options.head_limit = 1000;
  options.field_limit = 3;
  options.body_limit = 10;
  serve(options);
  refused("GET / HTTP/1.1\r\nHost: x\r\nA: " + std::string(1000, 'a'), "431");
  refused("GET / HTTP/1.1\r\nHost: x\r\nA: 1\r\nB: 1\r\nC: 1\r\n\r\n", "431");
  refused("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n", "413");
  refused("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999999999999\r\n\r\n", "413");
}
TEST_F(Refusal, a_body_that_grows_beyond_the_limit_never_becomes_whole) {
  proxy::Options options;
  options.body_limit = 10;
  serve(options);
  auto client = comes();
  client->say("PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
  auto service = listener.accepts();
  service->hears("PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nVia: 1.1 retrial\r\n\r\n3\r\nabc\r\n");
  client->say("3\r\nabc\r\n0\r\n\r\n");
  EXPECT_EQ(client->hears_some(12), "HTTP/1.1 413");
  service->hears_rst();
  EXPECT_EQ(exchange().client_status, 413);
}
TEST_F(Refusal, a_body_whose_chunks_break_never_becomes_whole) {
  for (std::string_view broken : {"zz\r\n", "2 a\r\nok\r\n", "2\nok\r\n", "2\r\nokx\r\n", "0\r\nA : b\r\n\r\n"}) {
    SCOPED_TRACE(broken);
    auto client = comes();
    client->say("PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
    auto service = listener.accepts();
    service->hears("PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nVia: 1.1 retrial\r\n\r\n3\r\nabc\r\n");
    client->say(broken);
    EXPECT_EQ(client->hears_some(12), "HTTP/1.1 400");
    service->hears_rst();
  }
}
TEST_F(Refusal, a_body_that_breaks_after_an_early_answer_is_not_answered_twice) {
  auto client = comes();
  client->say("PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
  auto service = listener.accepts();
  service->say(kAnswer);
  client->hears(kAnswered);
  client->say("zz\r\n");
  client->hears_fin();
  EXPECT_EQ(exchange().ending, trace::Ending::answered);
  EXPECT_EQ(exchange().client_status, 200);
}
TEST_F(Refusal, a_body_that_breaks_while_a_fault_delays_its_request_is_answered) {
  trace::FaultSpec fault{.name = trace::FaultName::delay, .delay = 3600 * kSecond};
  director.plan(1, fault);
  auto client = comes();
  client->say("PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
  quiet();
  client->say("zz\r\n");
  EXPECT_EQ(client->hears_some(12), "HTTP/1.1 400");
  EXPECT_EQ(exchange().ending, trace::Ending::answered);
  EXPECT_EQ(exchange().client_status, 400);
  listener.accepts_nobody();
}
TEST_F(Refusal, a_refused_request_behind_a_good_one_is_refused_after_its_answer) {
  auto client = comes();
  client->say(std::string(kAsked) + "GET / HTTP/1.1\r\n\r\n" + std::string(kAsked));
  auto service = listener.accepts();
  service->hears(kPassed);
  service->say(kAnswer);
  client->hears(kAnswered);
  EXPECT_EQ(client->hears_some(12), "HTTP/1.1 400");
  client->hears_some(client->waiting());
  client->hears_fin();
  service->hears_nothing();
}
TEST_F(Refusal, first_bytes_that_are_no_http_are_a_tunnel_where_the_listener_says_auto) {
  auto client = comes(ListenMode::reverse, Protocol::automatic);
  client->say("*1\r\n");
  auto service = listener.accepts();
  service->hears("*1\r\n");
  service->say("+OK\r\n");
  client->hears("+OK\r\n");
  client->finish();
  service->hears_fin();
  service->close();
  client->hears_fin();
  EXPECT_EQ(proxy->counts().tunnels, 1u);
}

TEST_F(Refusal, a_forward_client_goes_where_its_target_says) {
  auto client = comes(ListenMode::forward);
  client->say("GET " + url("/a?b") + " HTTP/1.1\r\nHost: other\r\n\r\n");
  auto service = listener.accepts();
  service->hears("GET /a?b HTTP/1.1\r\nHost: " + listener.authority() + "\r\nVia: 1.1 retrial\r\n\r\n");
  service->say(kAnswer);
  client->hears(kAnswered);
  EXPECT_EQ(exchange().service, listener.authority());

  Listener second(loop);
  client->say("OPTIONS http://user@" + second.authority() + " HTTP/1.1\r\nHost: x\r\n\r\n");
  auto other = second.accepts();
  other->hears("OPTIONS * HTTP/1.1\r\nHost: " + second.authority() + "\r\nVia: 1.1 retrial\r\n\r\n");
  other->say(kAnswer);
  client->hears(kAnswered);
  EXPECT_EQ(exchange(2).service, second.authority());

  client->say("GET " + url("") + " HTTP/1.1\r\nHost: x\r\n\r\n");  // on the first one's connection
  service->hears("GET / HTTP/1.1\r\nHost: " + listener.authority() + "\r\nVia: 1.1 retrial\r\n\r\n");
}
TEST_F(Refusal, a_forward_client_that_does_not_say_where_to_is_refused) {
  for (std::string request :
       {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "GET ftp://x/ HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET http://x:0/ HTTP/1.1\r\nHost: x\r\n\r\n", "GET http://x:99999/ HTTP/1.1\r\nHost: x\r\n\r\n",
        "CONNECT x:0 HTTP/1.1\r\nHost: x\r\n\r\n"})
    refused(request, "400", ListenMode::forward);
}
TEST_F(Refusal, http_inside_a_connect_is_understood_and_recorded) {
  auto client = comes(ListenMode::forward);
  auto connect = "CONNECT " + listener.authority() + " HTTP/1.1\r\nHost: x\r\n\r\n";
  client->say(connect);
  auto service = listener.accepts();
  client->hears("HTTP/1.1 200 Connection established\r\n\r\n");
  client->say(kAsked);
  service->hears(kPassed);
  service->say(kAnswer);
  client->hears(kAnswered);
  EXPECT_EQ(exchange().service, listener.authority());
  EXPECT_EQ(exchange().target, "/a");
  EXPECT_EQ(recorder.exchanges.size(), 1u);
  client->say(kAsked);  // from the pool
  service->hears(kPassed);
  listener.accepts_nobody();
}
TEST_F(Refusal, a_connect_may_be_followed_at_once_by_what_is_meant_for_the_service) {
  auto client = comes(ListenMode::forward);
  client->say("CONNECT " + listener.authority() + " HTTP/1.1\r\nHost: x\r\n\r\n" + std::string(kAsked));
  auto service = listener.accepts();
  client->hears("HTTP/1.1 200 Connection established\r\n\r\n");
  service->hears(kPassed);
}
TEST_F(Refusal, a_connect_behind_other_requests_is_one_too) {
  auto client = comes(ListenMode::forward);
  client->say("GET " + url("/") + " HTTP/1.1\r\nHost: x\r\n\r\nCONNECT " + listener.authority() +
              " HTTP/1.1\r\nHost: x\r\n\r\n" + std::string(kAsked));
  auto service = listener.accepts();
  service->hears("GET / HTTP/1.1\r\nHost: " + listener.authority() + "\r\nVia: 1.1 retrial\r\n\r\n");
  service->say(kAnswer);
  client->hears(kAnswered);
  client->hears("HTTP/1.1 200 Connection established\r\n\r\n");
  auto inside = listener.accepts();
  inside->hears(kPassed);
  inside->say(kAnswer);
  client->hears(kAnswered);
}
TEST_F(Refusal, a_client_that_leaves_after_a_connect_leaves_nothing_behind) {
  auto client = comes(ListenMode::forward);
  client->say("CONNECT " + listener.authority() + " HTTP/1.1\r\nHost: x\r\n\r\n");
  auto service = listener.accepts();
  client->hears("HTTP/1.1 200 Connection established\r\n\r\n");
  client->close();
  service->hears_fin();
  EXPECT_EQ(proxy->connections(), 0u);
}
TEST_F(Refusal, a_connect_to_nobody_is_answered_502) {
  auto client = comes(ListenMode::forward);
  std::string nobody;
  {
    Listener gone(loop);
    nobody = gone.authority();
  }
  client->say("CONNECT " + nobody + " HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client->hears_some(12), "HTTP/1.1 502");
}

TEST_F(Refusal, a_head_that_does_not_come_in_time_is_answered_408) {
  proxy::Options options;
  options.head_timeout = 10 * kSecond;
  serve(options);
  auto slow = comes();
  slow->say("GET / HTTP/1.1\r\nHost: x\r\n");
  quiet();
  for (int i = 0; i < 9; i++) {
    slow->say("X: 1\r\n");
    quiet();
    advance(kSecond);
  }
  slow->hears_nothing();
  advance(kSecond);
  EXPECT_EQ(slow->hears_some(12), "HTTP/1.1 408");
  slow->hears_some(slow->waiting());
  slow->hears_fin();
  listener.accepts_nobody();
  EXPECT_EQ(proxy->counts().refused, 1u);
  advance(6 * kSecond);  // it may linger, and does not for ever
  EXPECT_EQ(proxy->connections(), 0u);
}
TEST_F(Refusal, a_client_that_said_nothing_for_long_has_as_much_time_for_its_head_as_others) {
  serve({.head_timeout = 10 * kSecond});
  auto client = comes();
  advance(60 * kSecond);
  client->say("PRI * HTTP/2.0\r\n");  // of which it is not known yet what it is
  quiet();
  advance(9 * kSecond);
  client->hears_nothing();
  advance(2 * kSecond);
  client->hears_fin();
}
TEST_F(Refusal, a_head_in_time_and_a_body_that_takes_longer_are_no_matter) {
  proxy::Options options;
  options.head_timeout = 10 * kSecond;
  options.idle_timeout = 10 * kSecond;
  serve(options);
  auto client = comes();
  client->say("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n");
  auto service = listener.accepts();
  for (char c : std::string_view("body")) {
    advance(60 * kSecond);
    client->say({&c, 1});
  }
  service->hears("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nVia: 1.1 retrial\r\n\r\nbody");
  advance(60 * kSecond);
  service->say(kAnswer);
  client->hears(kAnswered);
}
TEST_F(Refusal, idle_clients_are_closed_after_their_time_and_not_before) {
  proxy::Options options;
  options.idle_timeout = 10 * kSecond;
  serve(options);
  auto silent = comes();
  std::unique_ptr<Peer> service;
  advance(9 * kSecond);
  auto client = answered_once(service);
  silent->hears_nothing();
  advance(2 * kSecond);
  silent->hears_fin();
  client->hears_nothing();
  advance(7 * kSecond);
  client->hears_nothing();
  advance(kSecond);
  client->hears_fin();
  service->hears_nothing();  // never closed by us
  EXPECT_EQ(proxy->counts().refused, 0u);
}
TEST_F(Refusal, a_hundred_clients_of_a_byte_a_second_are_all_told_that_they_are_too_slow) {
  proxy::Options options;
  options.head_timeout = 10 * kSecond;
  serve(options);
  std::vector<std::unique_ptr<Peer>> clients;
  for (int i = 0; i < 100; i++) clients.push_back(comes());
  for (int second = 0; second < 12; second++) {
    for (auto& client : clients) client->say_what_fits("G");
    quiet();
    advance(kSecond);
  }
  for (auto& client : clients) EXPECT_EQ(client->hears_some(12), "HTTP/1.1 408");
  listener.accepts_nobody();
}

}  // namespace
}  // namespace retrial::test

// Messages on their way through a proxy that stays: what an intermediary changes, and what it leaves.
#include <algorithm>

#include "policies/fault_plan.h"
#include "tests/support/serving.h"

namespace retrial::test {
namespace {

class Serve : public Serving {
 protected:
  // A new client says `request`, the service hears `passed`, says `response`, and the client hears `answered`.
  void passes(std::string_view request, std::string_view passed, std::string_view response, std::string_view answered) {
    client = comes();
    client->say(request);
    if (!service) service = listener.accepts();
    service->hears(passed);
    service->say(response);
    client->hears(answered);
    client->hears_nothing();
  }
  std::unique_ptr<Peer> client, service;
};

TEST_F(Serve, fields_of_one_connection_stay_there_and_all_others_keep_their_bytes_and_order) {
  passes(
      "GET /a?b HTTP/1.1\r\nhOsT: x\r\nConnection: keep-alive, X-Mine\r\nX-Mine: 1\r\nX-Other:  two \r\nKeep-Alive: "
      "5\r\n"
      "TE: trailers\r\nProxy-Connection: close\r\nVia: 1.0 other\r\nx-retrial-test: t\r\nAccept: */*\r\n\r\n",
      "GET /a?b HTTP/1.1\r\nhOsT: x\r\nX-Other:  two \r\nVia: 1.0 other\r\nAccept: */*\r\nVia: 1.1 retrial\r\n\r\n",
      "HTTP/1.1 200 Fine\r\nSERVER: s\r\nConnection: X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\nContent-Length: "
      "2\r\n"
      "\r\nok",
      "HTTP/1.1 200 Fine\r\nSERVER: s\r\nContent-Length: 2\r\nVia: 1.1 retrial\r\n\r\nok");
  EXPECT_EQ(director.heads.at(0).tag.test, "t");
}
TEST_F(Serve, raw_utf_8_in_a_target_passes_as_it_came) {
  passes("GET /caf\xc3\xa9?q=\xe2\x82\xac HTTP/1.1\r\nHost: x\r\n\r\n",
         "GET /caf\xc3\xa9?q=\xe2\x82\xac HTTP/1.1\r\nHost: x\r\nVia: 1.1 retrial\r\n\r\n", kAnswer,
         "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nVia: 1.1 retrial\r\n\r\nok");
}
TEST_F(Serve, a_client_of_http_1_0_is_told_how_its_connection_goes_on) {
  passes("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
         "GET / HTTP/1.1\r\nHost: " + listener.authority() + "\r\nVia: 1.0 retrial\r\n\r\n", kAnswer,
         "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\nVia: 1.1 retrial\r\n\r\nok");
  client->say("GET / HTTP/1.0\r\nHost: x\r\n\r\n");
  service->hears("GET / HTTP/1.1\r\nHost: x\r\nVia: 1.0 retrial\r\n\r\n");
  service->say(kAnswer);
  client->hears("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\nVia: 1.1 retrial\r\n\r\nok");
  client->hears_fin();
}
TEST_F(Serve, an_answer_that_ends_its_connection_before_the_request_is_whole_ends_the_clients_too) {
  client = comes();
  client->say("PUT / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
  service = listener.accepts();
  service->hears("PUT / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\nVia: 1.1 retrial\r\n\r\n");
  service->say("HTTP/1.1 417 No\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno");
  client->hears("HTTP/1.1 417 No\r\nContent-Length: 2\r\nConnection: close\r\nVia: 1.1 retrial\r\n\r\nno");
  service->finish();
  client->hears_fin();
}
TEST_F(Serve, half_a_request_behind_another_and_a_FIN_end_the_connection_once_that_is_answered) {
  client = comes();
  client->say("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HT");
  service = listener.accepts();
  service->hears("GET / HTTP/1.1\r\nHost: x\r\nVia: 1.1 retrial\r\n\r\n");
  client->finish();
  quiet();
  service->say(kAnswer);
  client->hears("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nVia: 1.1 retrial\r\n\r\nok");
  client->hears_fin();
}
TEST_F(Serve, a_client_of_http_1_0_gets_a_chunked_body_without_its_chunks) {
  client = comes();
  client->say("GET / HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\n\r\n");
  service = listener.accepts();
  service->hears("GET / HTTP/1.1\r\nHost: x\r\nVia: 1.0 retrial\r\n\r\n");
  service->say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nX: 1\r\n\r\n");
  client->hears("HTTP/1.1 200 OK\r\nConnection: close\r\nVia: 1.1 retrial\r\n\r\nabcde");
  client->hears_fin();
}
TEST_F(Serve, a_chunked_body_that_is_cut_off_is_no_whole_one_to_a_client_of_http_1_0) {
  client = comes();
  client->say("GET / HTTP/1.0\r\nHost: x\r\n\r\n");
  service = listener.accepts();
  service->say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
  client->hears("HTTP/1.1 200 OK\r\nConnection: close\r\nVia: 1.1 retrial\r\n\r\nabc");
  service->close();
  client->hears_rst();
}
TEST_F(Serve, chunks_are_framed_anew_both_ways_without_extensions_and_with_harmless_trailers) {
  passes(
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      "003;a=\"b;\"\r\nabc\r\nA\r\n0123456789\r\n0\r\nX-Sum: 7\r\nContent-Length: 3\r\nHost: evil\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nVia: 1.1 retrial\r\n\r\n"
      "d\r\nabc0123456789\r\n0\r\nX-Sum: 7\r\n\r\n",  // they waited for the connection together
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n02\r\nok\r\n0\r\nX-Sum: 8\r\nSet-Cookie: a\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nVia: 1.1 retrial\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 8\r\n\r\n");
}
TEST_F(Serve, chunks_may_be_as_many_as_they_like) {
  client = comes();
  std::string chunks, body(70'000, 'x');
  for (std::size_t i = 0; i < body.size(); i++) chunks += "1;a=b\r\nx\r\n";
  chunks += "0\r\n\r\n";
  auto come = [&](Peer& from, Peer& to) {
    std::string heard;
    std::size_t said = 0;
    run_until([&] {
      said += from.say_what_fits(std::string_view(chunks).substr(said));
      if (auto some = to.waiting()) heard += to.hears_some(some);
      return heard.ends_with("\r\n0\r\n\r\n");
    });
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(heard, 'x')), body.size());
  };
  client->say("POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
  service = listener.accepts();
  service->hears("POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nVia: 1.1 retrial\r\n\r\n");
  come(*client, *service);
  service->say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
  client->hears("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nVia: 1.1 retrial\r\n\r\n");
  come(*service, *client);
  EXPECT_EQ(exchange().ending, trace::Ending::answered);
}
TEST_F(Serve, a_conversation_that_comes_byte_by_byte_is_the_same) {
  client = comes();
  std::string_view request = "PUT / HTTP/1.1\r\nHost: x\r\nConnection: te\r\nContent-Length: 4\r\n\r\nbody";
  std::string_view response = "HTTP/1.1 201 Created\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n";
  for (char c : request) {
    client->say({&c, 1});
    quiet();
  }
  service = listener.accepts();
  service->hears("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nVia: 1.1 retrial\r\n\r\nbody");
  for (char c : response) {
    service->say({&c, 1});
    quiet();
  }
  client->hears(
      "HTTP/1.1 201 Created\r\nTransfer-Encoding: gzip, chunked\r\nVia: 1.1 "
      "retrial\r\n\r\n1\r\no\r\n1\r\nk\r\n0\r\n\r\n");
  client->hears_nothing();
}
TEST_F(Serve, interim_answers_are_passed_on_and_not_to_a_client_of_http_1_0) {
  std::string_view said = "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  passes(kAsked, kPassed, said,
         "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\nVia: 1.1 retrial\r\n\r\n"
         "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nVia: 1.1 retrial\r\n\r\nok");
  passes("GET /a HTTP/1.0\r\nHost: x\r\n\r\n", "GET /a HTTP/1.1\r\nHost: x\r\nVia: 1.0 retrial\r\n\r\n", said,
         "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\nVia: 1.1 retrial\r\n\r\nok");
}
TEST_F(Serve, a_body_is_asked_for_by_the_service_itself) {
  client = comes();
  client->say("PUT / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
  service = listener.accepts();
  service->hears("PUT / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\nVia: 1.1 retrial\r\n\r\n");
  client->hears_nothing();
  service->say("HTTP/1.1 100 Continue\r\n\r\n");
  client->hears("HTTP/1.1 100 Continue\r\nVia: 1.1 retrial\r\n\r\n");
  client->say("body");
  service->hears("body");
  service->say(kAnswer);
  client->hears(kAnswered);
}
TEST_F(Serve, a_service_that_answers_early_still_gets_the_whole_request_and_is_used_again) {
  client = comes();
  client->say("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbo");
  service = listener.accepts();
  service->hears("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nVia: 1.1 retrial\r\n\r\nbo");
  service->say(kAnswer);
  client->hears(kAnswered);
  auto other = comes();
  other->say(kAsked);
  auto second = listener.accepts();  // the first one still has a request under way
  second->hears(kPassed);
  client->say("dy");
  service->hears("dy");
  client->say(kAsked);
  service->hears(kPassed);
}
TEST_F(Serve, the_rest_of_a_request_whose_service_has_answered_and_left_is_no_part_of_the_next) {
  client = comes();
  client->say("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbo");
  service = listener.accepts();
  service->hears("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nVia: 1.1 retrial\r\n\r\nbo");
  service->say(kAnswer);
  service->finish();
  client->hears(kAnswered);
  client->hears_fin();
  client->say("dy");
  client->say(kAsked);
  client->hears_nothing();
  EXPECT_EQ(recorder.order.back(), "over 1");
}
TEST_F(Serve, a_client_that_leaves_in_the_turn_in_which_its_service_is_reached_is_forgotten) {
  client = comes();
  client->say("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbo");
  client->finish();  // which is read behind it, in the turn that tells of the service's connection as well
  EXPECT_EQ(exchange().ending, trace::Ending::client_left);
  EXPECT_EQ(proxy->connections(), 0u);
}
TEST_F(Serve, a_client_that_leaves_after_an_early_answer_never_makes_its_request_whole) {
  client = comes();
  client->say("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbo");
  service = listener.accepts();
  service->hears("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nVia: 1.1 retrial\r\n\r\nbo");
  service->say(kAnswer);
  client->hears(kAnswered);
  client->close();
  service->hears_rst();
  EXPECT_EQ(exchange().ending, trace::Ending::answered);
  EXPECT_EQ(proxy->connections(), 0u);
}
TEST_F(Serve, answers_without_a_body_end_with_their_heads) {
  std::string_view head = "HTTP/1.1 200 OK\r\nContent-Length: 70\r\n\r\n";
  passes("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", "HEAD / HTTP/1.1\r\nHost: x\r\nVia: 1.1 retrial\r\n\r\n", head,
         "HTTP/1.1 200 OK\r\nContent-Length: 70\r\nVia: 1.1 retrial\r\n\r\n");
  passes("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", "HEAD / HTTP/1.1\r\nHost: x\r\nVia: 1.1 retrial\r\n\r\n",
         "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
         "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nVia: 1.1 retrial\r\n\r\n");
  passes(kAsked, kPassed, "HTTP/1.1 304 Not Modified\r\nContent-Length: 70\r\n\r\n",
         "HTTP/1.1 304 Not Modified\r\nContent-Length: 70\r\nVia: 1.1 retrial\r\n\r\n");
  passes(kAsked, kPassed, "HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n",
         "HTTP/1.1 204 No Content\r\nVia: 1.1 retrial\r\n\r\n");
  passes(kAsked, kPassed, kAnswer, kAnswered);  // all on one connection
}
TEST_F(Serve, upgrades_that_ordinary_clients_offer_are_neither_switched_nor_refused) {
  for (std::string_view protocol : {"h2c", "TLS/1.2"})
    passes("GET /a HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: " + std::string(protocol) +
               "\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n",
           kPassed, kAnswer, kAnswered);
}
TEST_F(Serve, an_upgrade_in_http_1_0_is_none) {
  passes("GET /a HTTP/1.0\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
         "GET /a HTTP/1.1\r\nHost: x\r\nVia: 1.0 retrial\r\n\r\n", kAnswer,
         "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\nVia: 1.1 retrial\r\n\r\nok");
}
TEST_F(Serve, a_websocket_is_a_tunnel_whose_frames_are_counted) {
  client = comes();
  client->say("GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
  service = listener.accepts();
  service->hears(
      "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nVia: 1.1 retrial\r\n\r\n");
  service->say("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n\x81\x02hi");
  client->hears(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nVia: 1.1 retrial\r\n\r\n"
      "\x81\x02hi");
  std::string_view masked("\x82\x83KEY_abc\x88\x80KEY_", 15);
  client->say(masked);
  service->hears(masked);
  client->close();
  service->hears_fin();
  service->close();
  quiet();
  EXPECT_EQ(proxy->counts().frames, 3u);
  EXPECT_EQ(proxy->counts().upgraded, 1u);
  EXPECT_EQ(proxy->connections(), 0u);
}
TEST_F(Serve, a_switch_that_was_not_asked_for_is_no_answer) {
  client = comes();
  client->say(kAsked);
  service = listener.accepts();
  service->say("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: w\r\n\r\nframe");
  EXPECT_EQ(client->hears_some(12), "HTTP/1.1 502");
  service->hears_some(kPassed.size());
  service->hears_rst();
}
TEST_F(Serve, half_of_a_clients_connection_may_be_closed_and_the_service_is_not_told) {
  client = comes();
  client->say(kAsked);
  client->finish();
  service = listener.accepts();
  service->hears(kPassed);
  service->hears_nothing();
  service->say(kAnswer);
  client->hears(kAnswered);
  client->hears_fin();
  service->hears_nothing();  // it waits for the next client
  EXPECT_EQ(proxy->connections(), 0u);
  std::unique_ptr<Peer> same = std::move(service);
  answered_once(same);
}
TEST_F(Serve, a_service_that_breaks_off_is_told_to_a_client_that_has_closed_its_half) {
  using trace::Ending;
  struct Case {
    std::string_view asked, said, heard;
    bool rst, told_rst;
    Ending ending;
  };
  std::string_view old = "GET /a HTTP/1.0\r\nHost: x\r\n\r\n";
  std::string_view until_close = "HTTP/1.1 200 OK\r\nConnection: close\r\nVia: 1.1 retrial\r\n\r\nhello";
  for (auto& c :
       {Case{kAsked, "HTTP/1.1 200 OK\r\n\r\nhello", until_close, true, true, Ending::reset},
        Case{old, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", until_close, false, true,
             Ending::reset},
        Case{kAsked, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello",
             "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nVia: 1.1 retrial\r\n\r\nhello", false, false, Ending::closed}}) {
    client = comes();
    client->say(c.asked);
    client->finish();
    service = listener.accepts();
    EXPECT_TRUE(service->hears_some(kPassed.size()).starts_with("GET /a"));
    service->say(c.said);
    client->hears(c.heard);
    c.rst ? service->reset() : service->finish();
    c.told_rst ? client->hears_rst() : client->hears_fin();
    client->close();
    quiet();
    EXPECT_EQ(recorder.exchanges.back().ending, c.ending);
    EXPECT_EQ(proxy->connections(), 0u);
  }
}
TEST_F(Serve, an_answer_that_ends_with_its_connection_ends_the_clients) {
  for (bool pristine : {false, true}) {
    proxy::Options options;
    options.pristine = pristine;
    serve_as(options);
    client = comes();
    client->say(kAsked);
    service = listener.accepts();
    service->hears(pristine ? kAsked : kPassed);
    service->say("HTTP/1.1 200 OK\r\n\r\nsome");
    service->close();
    client->hears(pristine ? "HTTP/1.1 200 OK\r\n\r\nsome"
                           : "HTTP/1.1 200 OK\r\nConnection: close\r\nVia: 1.1 retrial\r\n\r\nsome");
    client->hears_fin();
  }
}
TEST_F(Serve, a_drained_proxy_ends_what_is_idle_and_all_others_after_their_answer) {
  auto idle = answered_once(service);
  client = comes();
  client->say(kAsked);
  service->hears(kPassed);
  proxy->drain();
  idle->hears_fin();
  service->say(kAnswer);
  client->hears("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\nVia: 1.1 retrial\r\n\r\nok");
  client->hears_fin();
}
TEST_F(Serve, what_is_idle_as_a_drain_begins_may_ask_once_more_for_a_while_and_hears_that_it_was_the_last_time) {
  serve({.drain_grace = 2 * kSecond});
  auto asks = answered_once(service), says_nothing = answered_once(service), fresh = comes();
  proxy->drain();
  advance(kSecond);
  asks->say(kAsked);
  service->hears(kPassed);
  service->say(kAnswer);
  asks->hears("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\nVia: 1.1 retrial\r\n\r\nok");
  asks->hears_fin();
  asks->close();
  quiet();
  EXPECT_EQ(proxy->connections(), 2u);
  advance(kSecond);
  says_nothing->hears_fin();
  fresh->hears_fin();
}
TEST_F(Serve, who_was_told_just_before_a_drain_that_the_connection_goes_on_may_ask_on_it) {
  serve({.drain_grace = 2 * kSecond});
  client = comes();
  client->say(kAsked);
  service = listener.accepts();
  service->hears(kPassed);
  service->say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no");
  client->hears("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nVia: 1.1 retrial\r\n\r\no");
  proxy->drain();
  service->say("k");
  client->hears("k");
  client->say(kAsked);
  service->hears(kPassed);
  service->say(kAnswer);
  client->hears("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\nVia: 1.1 retrial\r\n\r\nok");
  client->hears_fin();
}
TEST_F(Serve, an_answer_that_is_cut_does_not_look_whole_though_its_end_would_have_been_that_of_its_connection) {
  client = comes();
  client->say(kAsked);
  service = listener.accepts();
  service->hears(kPassed);
  service->say("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nsome");
  client->hears("HTTP/1.1 200 OK\r\nConnection: close\r\nVia: 1.1 retrial\r\n\r\nsome");
  proxy->drain();
  proxy->cut();
  client->hears_rst();
}
TEST_F(Serve, a_request_that_is_held_for_long_enough_is_given_up_and_others_are_not) {
  director.plan(1, policies::parse_fault_plan("stall(before-request)")->steps[0].fault);
  auto held = comes();
  held->say(kAsked);
  quiet();
  ASSERT_NE(proxy->held_since(), 0);
  proxy->give_up_held(proxy->held_since() - 1);
  quiet();
  EXPECT_NE(proxy->held_since(), 0);
  proxy->give_up_held(proxy->held_since());
  held->hears_rst();
  EXPECT_EQ(proxy->held_since(), 0);
}
TEST_F(Serve, a_pristine_proxy_is_drained_too) {
  serve_as({});
  client = comes();
  client->say(kAsked);
  service = listener.accepts();
  service->hears(kAsked);
  proxy->drain();
  service->say(kAnswer);
  client->hears(kAnswer);
  client->hears_fin();
}

}  // namespace
}  // namespace retrial::test

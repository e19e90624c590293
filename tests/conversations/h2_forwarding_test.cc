// What passes between a client and a service that speak HTTP/2, frame by frame.
#include "proxy/codec/h2.h"
#include "tests/support/h2_end.h"

namespace retrial::test {
namespace {
using trace::Ending;
using Aborted = trace::Exchange::Aborted;

using H2Forwarding = H2Conversation;

TEST_F(H2Forwarding, heads_pass_as_they_are_but_for_the_agents_tags) {
  meet();
  passes(
      "HEADERS 1 end | :method: GET | :scheme: http | :authority: h:1 | :path: /a?b=c | x-b: 2 | x-a: 1 | te: trailers "
      "| "
      "!authorization: Basic YQ== | !cookie: a=1 | !cookie: b=2 | x-empty: ");
  passes_back("HEADERS 1 | :status: 200 | server: s | !set-cookie: a | set-cookie: b");
  passes_back("DATA 1 end hello");
  client->say(asks(3, "GET /x", " | x-retrial-test: t | x-retrial-call: 7 | x: y"));
  service->hears(asks(3, "GET /x", " | x: y"));
  passes_back("HEADERS 3 end | :status: 204");
  auto& e = over(1);
  EXPECT_EQ(e.method, "GET");
  EXPECT_EQ(e.target, "/a?b=c");
  EXPECT_EQ(e.host, "h:1");
  EXPECT_EQ(e.stream, 1u);
  EXPECT_TRUE(e.fresh);
  EXPECT_EQ(e.ending, Ending::answered);
  EXPECT_EQ(e.service_status, 200);
  EXPECT_EQ(e.client_status, 200);
  EXPECT_EQ(e.response_bytes, 5u);
  EXPECT_EQ(e.response_sample, "hello");
  EXPECT_EQ(e.response_lines, "server: s\r\nset-cookie: ***\r\nset-cookie: ***\r\n");
  EXPECT_EQ(over(2).tag.call_id, "7");
  EXPECT_FALSE(over(2).fresh);
  EXPECT_EQ(over(2).stream, 3u);
}
TEST_F(H2Forwarding, an_asterisk_and_the_authority_in_host_pass_too) {
  meet();
  passes("HEADERS 1 end | :method: OPTIONS | :scheme: http | :path: * | host: h");
  passes_back("HEADERS 1 end | :status: 200");
  EXPECT_EQ(over(1).target, "*");
  EXPECT_EQ(over(1).host, "h");
}
TEST_F(H2Forwarding, trailers_pass_both_ways) {
  meet();
  passes(asks(1, "POST /x", "", false));
  passes("DATA 1 body");
  passes("HEADERS 1 end | x-sum: 1 | x-more: 2");
  passes_back("HEADERS 1 | :status: 200");
  passes_back("DATA 1 hello");
  passes_back("HEADERS 1 end | x-sum: 3");
  auto& e = over(1);
  EXPECT_EQ(e.request_sample, "body");
  EXPECT_EQ(e.trailer_lines, "x-sum: 3\r\n");
  EXPECT_EQ(e.ending, Ending::answered);
}
TEST_F(H2Forwarding, interim_responses_pass) {
  meet();
  passes(asks(1, "PUT /x", " | expect: 100-continue", false));
  passes_back("HEADERS 1 | :status: 103 | link: a");
  passes_back("HEADERS 1 | :status: 100");
  passes("DATA 1 end body");
  passes_back("HEADERS 1 | :status: 200 | content-length: 2");
  passes_back("DATA 1 end ok");
  EXPECT_EQ(over(1).service_status, 200);
}
TEST_F(H2Forwarding, both_directions_stream_at_once) {
  meet();
  passes(calls(1));
  passes_back("HEADERS 1 | :status: 200 | content-type: application/grpc");
  for (int i = 0; i < 3; i++) {
    client->data(1, message("ask"));
    service->hears("DATA 1 " + message("ask"));
    service->data(1, message("answer"));
    client->hears("DATA 1 " + message("answer"));
  }
  passes("DATA 1 end");
  passes_back("HEADERS 1 end | grpc-status: 0");
  auto& e = over(1);
  EXPECT_EQ(e.grpc.requests, 3u);
  EXPECT_EQ(e.grpc.responses, 3u);
  EXPECT_EQ(e.grpc.largest, 6u);
  EXPECT_TRUE(e.grpc.streams);
  EXPECT_FALSE(e.grpc.cut);
  EXPECT_EQ(e.service_status, 200);
}
TEST_F(H2Forwarding, a_response_may_come_before_the_request_has_ended) {
  meet();
  passes(asks(1, "POST /x", "", false));
  passes_back("HEADERS 1 | :status: 403");
  passes_back("DATA 1 end no");
  passes_back("RST_STREAM 1 NO_ERROR");
  auto& e = over(1);
  EXPECT_EQ(e.ending, Ending::answered);
  EXPECT_EQ(e.client_status, 403);
  goes_on(3);
}
TEST_F(H2Forwarding, an_early_response_that_the_client_reads_slowly_is_read_whole) {
  meet("4=3");
  client->gives_back(false);
  passes(asks(1, "POST /x", "", false));
  service->say("HEADERS 1 | :status: 403\nDATA 1 end not so\nRST_STREAM 1 NO_ERROR");
  client->hears("HEADERS 1 | :status: 403\nDATA 1 not");
  client->hears_nothing();
  client->say("WINDOW_UPDATE 1 100");
  client->hears("DATA 1 end  so\nRST_STREAM 1 NO_ERROR");
  auto& e = over(1);
  EXPECT_EQ(e.ending, Ending::answered);
  EXPECT_EQ(e.client_status, 403);
  goes_on(3);
}
TEST_F(H2Forwarding, the_rest_of_a_request_that_was_answered_early_passes) {
  meet();
  passes(asks(1, "POST /x", "", false));
  passes_back("HEADERS 1 end | :status: 200");
  EXPECT_TRUE(recorder.exchanges.empty());
  passes("DATA 1 more");
  passes("DATA 1 end rest");
  auto& e = over(1);
  EXPECT_EQ(e.ending, Ending::answered);
  EXPECT_EQ(e.request_bytes, 8u);
  goes_on(3);
}
TEST_F(H2Forwarding, a_clients_reset_reaches_the_service_with_its_code) {
  meet();
  for (std::string code : {"CANCEL", "INTERNAL_ERROR", "NO_ERROR"}) {
    auto n = recorder.exchanges.size() * 2 + 1;
    passes(asks(static_cast<std::uint32_t>(n)));
    passes("RST_STREAM " + std::to_string(n) + " " + code);
    auto& e = exchange(recorder.exchanges.size());
    EXPECT_EQ(e.ending, Ending::client_left);
    EXPECT_EQ(e.aborted, Aborted::by_client);
    EXPECT_EQ(proxy::show_h2_error(e.abort_code), code);
  }
  client->hears_nothing();
  goes_on(7);
}
TEST_F(H2Forwarding, a_clients_reset_in_the_middle_of_a_response_is_no_answer) {
  meet();
  passes(asks(1));
  passes_back("HEADERS 1 | :status: 200");
  passes_back("DATA 1 hel");
  passes("RST_STREAM 1 CANCEL");
  service->say("DATA 1 end lo");  // was on its way
  client->hears_nothing();
  EXPECT_EQ(over(1).ending, Ending::client_left);
  EXPECT_EQ(over(1).service_status, 200);
  goes_on(3);
}
TEST_F(H2Forwarding, a_services_reset_reaches_the_client_with_its_code) {
  meet();
  std::uint32_t n = 1;
  for (std::string code : {"REFUSED_STREAM", "CANCEL", "INTERNAL_ERROR", "ENHANCE_YOUR_CALM", "HTTP_1_1_REQUIRED"}) {
    passes(asks(n));
    passes_back("RST_STREAM " + std::to_string(n) + " " + code);
    auto& e = exchange((n + 1) / 2);
    EXPECT_EQ(e.ending, Ending::reset);
    EXPECT_EQ(e.aborted, Aborted::by_service);
    EXPECT_EQ(proxy::show_h2_error(e.abort_code), code);
    EXPECT_EQ(e.refused, code == "REFUSED_STREAM");
    EXPECT_EQ(e.client_status, 0);
    n += 2;
  }
  passes(asks(n));
  passes_back("HEADERS " + std::to_string(n) + " | :status: 200");
  passes_back("DATA " + std::to_string(n) + " hel");
  passes_back("RST_STREAM " + std::to_string(n) + " INTERNAL_ERROR");
  EXPECT_EQ(exchange((n + 1) / 2).service_status, 200);
  EXPECT_EQ(exchange((n + 1) / 2).ending, Ending::reset);
  goes_on(n + 2);
}

TEST_F(H2Forwarding, the_services_limits_are_the_clients) {
  auto line = connect();
  client = std::make_unique<H2End>(std::move(line.client), H2End::Role::client);
  service = std::make_unique<H2End>(std::move(line.service), H2End::Role::service);
  client->greets();
  client->say(asks(1));  // before any SETTINGS
  service->hears_greeting();
  client->hears_nothing();
  service->hears_nothing();
  service->greets("3=2 8=1");
  client->hears("SETTINGS 3=2 4=16384 6=262144 8=1");
  service->hears(asks(1));
  client->say(asks(3) + "\n" + asks(5));
  service->hears(asks(3));
  client->hears("RST_STREAM 5 REFUSED_STREAM");
  service->say("SETTINGS 3=1");
  client->hears("SETTINGS 3=1");
  service->say("SETTINGS 3=0");
  client->hears("SETTINGS 3=0");
  service->say("SETTINGS 3=100");
  client->hears("SETTINGS 3=100");
  client->say(asks(7));
  service->hears(asks(5));
}
TEST_F(H2Forwarding, a_ping_is_answered) {
  meet();
  client->say("PING 12345678");
  client->hears("PING ack 12345678");
  service->say("PING abcdefgh");
  service->hears("PING ack abcdefgh");
}

// --- GOAWAY

TEST_F(H2Forwarding, a_goaway_tells_which_streams_the_service_has_not_executed) {
  meet();
  passes(asks(1));
  passes(asks(3));
  passes(asks(5));
  service->say("GOAWAY 3 NO_ERROR bye");
  client->hears("GOAWAY 3 NO_ERROR bye");
  auto& e = over(3);
  EXPECT_EQ(e.ending, Ending::reset);
  EXPECT_TRUE(e.refused);
  EXPECT_EQ(e.aborted, Aborted::by_service);
  EXPECT_FALSE(trace::executed(e));
  passes_back("HEADERS 3 end | :status: 204");
  passes_back("HEADERS 1 end | :status: 204");
  client->hears_fin();
  service->hears_fin();
  EXPECT_EQ(over(1).ending, Ending::answered);
  EXPECT_EQ(over(2).ending, Ending::answered);
}
TEST_F(H2Forwarding, a_goaway_counts_in_the_clients_own_streams) {
  meet();
  plan(1, "error(503)");
  client->say(asks(1));
  client->hears(
      "HEADERS 1 | :status: 503 | content-type: application/json | x-retrial-fault: retrial-f1 | content-length: 143");
  client->hears_body(1);
  client->say(asks(3));
  service->hears(asks(1));  // its first
  client->say(asks(5));
  service->hears(asks(3));
  service->say("GOAWAY 1 ENHANCE_YOUR_CALM");
  client->hears("GOAWAY 3 ENHANCE_YOUR_CALM");
  EXPECT_TRUE(over(3).refused);
  service->say("HEADERS 1 end | :status: 204");
  client->hears("HEADERS 3 end | :status: 204");
  client->hears_fin();
}
TEST_F(H2Forwarding, a_goaway_below_a_stream_that_a_fault_holds_refuses_the_others_by_themselves) {
  meet();
  plan(3, "stall(before-request)");
  passes(asks(1));
  passes(asks(3));
  client->say(asks(5));
  service->hears_nothing();
  service->say("GOAWAY 1 NO_ERROR");
  client->hears("RST_STREAM 3 REFUSED_STREAM\nGOAWAY 5 NO_ERROR");
  EXPECT_TRUE(over(2).refused);
  passes_back("HEADERS 1 end | :status: 204");
  client->hears_nothing();
  EXPECT_EQ(proxy->held_exchanges(), 1u);
  client->say("RST_STREAM 5 CANCEL");
  client->hears_fin();
  EXPECT_EQ(over(3).ending, Ending::client_left);
}
TEST_F(H2Forwarding, a_graceful_goaway_takes_two_steps) {
  meet();
  passes(asks(1));
  service->say("GOAWAY 2147483647 NO_ERROR");
  client->hears("GOAWAY 2147483647 NO_ERROR");
  client->say(asks(3));  // it was on its way; it can go no further (RFC 9113 6.8)
  client->hears("RST_STREAM 3 REFUSED_STREAM");
  EXPECT_TRUE(over(2).refused);
  service->say("GOAWAY 1 NO_ERROR");
  client->hears("GOAWAY 3 NO_ERROR");
  passes_back("HEADERS 1 end | :status: 204");
  client->hears_fin();
  EXPECT_EQ(over(1).ending, Ending::answered);
}
TEST_F(H2Forwarding, a_goaway_without_streams_ends_the_connection) {
  meet();
  service->say("GOAWAY 0 NO_ERROR");
  client->hears("GOAWAY 0 NO_ERROR");
  client->hears_fin();
  service->hears_fin();
}
TEST_F(H2Forwarding, a_clients_goaway_is_passed_and_its_streams_go_on) {
  meet();
  passes(asks(1));
  client->say("GOAWAY 0 NO_ERROR done");
  service->hears("GOAWAY 0 NO_ERROR done");
  passes_back("HEADERS 1 end | :status: 204");
  client->peer().close();
  service->hears_fin();
  EXPECT_EQ(over(1).ending, Ending::answered);
}

// --- ends

TEST_F(H2Forwarding, a_services_fin_with_open_streams_is_the_clients) {
  meet();
  passes(asks(1));
  passes(asks(3));
  passes_back("HEADERS 3 | :status: 200");
  service->peer().close();
  client->hears_fin();
  EXPECT_EQ(over(1).ending, Ending::closed);
  EXPECT_EQ(over(2).ending, Ending::closed);
  EXPECT_EQ(over(2).service_status, 200);
}
TEST_F(H2Forwarding, a_services_rst_with_open_streams_is_the_clients) {
  meet();
  passes(asks(1));
  passes(asks(3));
  service->peer().reset();
  client->hears_rst();
  EXPECT_EQ(over(1).ending, Ending::reset);
  EXPECT_EQ(over(2).ending, Ending::reset);
  EXPECT_FALSE(over(1).refused);
}
TEST_F(H2Forwarding, a_clients_fin_with_open_streams_ends_them) {
  meet();
  passes(asks(1));
  passes(asks(3, "POST /x", "", false));
  client->peer().close();
  service->hears("RST_STREAM 1 CANCEL\nRST_STREAM 3 CANCEL");
  service->hears_fin();
  EXPECT_EQ(over(1).ending, Ending::client_left);
  EXPECT_EQ(over(2).ending, Ending::client_left);
  EXPECT_EQ(proxy->connections(), 0u);
}
TEST_F(H2Forwarding, a_clients_rst_with_open_streams_is_the_services) {
  meet();
  passes(asks(1));
  client->peer().reset();
  service->hears("RST_STREAM 1 CANCEL");
  service->hears_rst();
  EXPECT_EQ(over(1).ending, Ending::client_left);
  EXPECT_EQ(proxy->connections(), 0u);
}
TEST_F(H2Forwarding, a_service_that_ends_while_a_fault_holds_a_stream_is_told_of_to_the_others) {
  meet();
  plan(1, "stall(before-request)");
  client->say(asks(1));
  client->say(asks(3));
  service->hears(asks(1));
  service->peer().close();
  client->hears("RST_STREAM 3 INTERNAL_ERROR\nGOAWAY 3 NO_ERROR");
  EXPECT_EQ(over(2).ending, Ending::reset);
  EXPECT_EQ(over(2).aborted, Aborted::by_service);
  client->say(asks(5));  // goes nowhere, and is not recorded
  client->hears_nothing();
  EXPECT_EQ(proxy->held_exchanges(), 1u);
  client->say("RST_STREAM 1 CANCEL");
  client->hears_fin();
  EXPECT_EQ(over(1).ending, Ending::client_left);
  EXPECT_EQ(director.heads.size(), 2u);
}
TEST_F(H2Forwarding, a_service_that_ends_after_an_early_response_leaves_no_stream_open) {
  meet();
  passes(asks(1, "POST /x", "", false));
  passes_back("HEADERS 1 end | :status: 200");
  service->peer().close();
  client->hears("GOAWAY 1 NO_ERROR\nRST_STREAM 1 NO_ERROR");
  client->hears_fin();
  EXPECT_EQ(over(1).ending, Ending::answered);
}
TEST_F(H2Forwarding, an_early_answer_that_is_taken_late_was_told_all_the_same) {
  meet("4=0");
  passes(asks(1, "POST /x", "", false));
  passes_back("HEADERS 1 | :status: 200");
  service->say("DATA 1 end hello");
  client->hears_nothing();
  client->say("WINDOW_UPDATE 1 5");
  client->hears("DATA 1 end hello");
  client->peer().close();
  quiet();
  EXPECT_EQ(over(1).ending, Ending::answered);
}
TEST_F(H2Forwarding, a_service_that_breaks_http2_is_told_so_and_the_client_hears_of_each_stream) {
  meet();
  passes(asks(1));
  service->say("DATA 8 x");
  client->hears("RST_STREAM 1 INTERNAL_ERROR\nGOAWAY 1 INTERNAL_ERROR");
  client->hears_fin();
  EXPECT_TRUE(service->next().starts_with("GOAWAY 0 PROTOCOL_ERROR"));
  service->hears_fin();
  EXPECT_EQ(over(1).aborted, Aborted::by_service);
}
TEST_F(H2Forwarding, a_client_that_breaks_http2_is_told_so_and_its_exchanges_are_over) {
  meet();
  passes(asks(1));
  client->say("DATA 0 x");
  EXPECT_TRUE(client->next().starts_with("GOAWAY 1 PROTOCOL_ERROR"));
  client->hears_fin();
  service->hears("RST_STREAM 1 CANCEL");
  service->hears_fin();
  EXPECT_EQ(over(1).ending, Ending::closed);
  EXPECT_EQ(proxy->counts().refused, 1u);
}
TEST_F(H2Forwarding, a_malformed_request_harms_its_stream_alone) {
  std::vector<std::string> said;
  start({.say = [&](const std::string& line) { said.push_back(line); }});
  meet();
  passes(asks(1));
  client->say(asks(3, "GET /x", " | connection: close"));
  client->hears("RST_STREAM 3 PROTOCOL_ERROR");
  service->hears_nothing();
  EXPECT_EQ(said, std::vector<std::string>{
                      "connection 1: HEADERS on stream 3: a field of HTTP/1 connections: the stream was reset"});
  EXPECT_EQ(proxy->counts().refused, 1u);
  passes_back("HEADERS 1 end | :status: 204");
  EXPECT_EQ(recorder.exchanges.size(), 1u);
}
TEST_F(H2Forwarding, a_malformed_response_harms_its_stream_alone) {
  meet();
  passes(asks(1));
  passes(asks(3));
  service->say("HEADERS 1 | :status: 200 | transfer-encoding: chunked");
  service->hears("RST_STREAM 1 PROTOCOL_ERROR");
  client->hears("RST_STREAM 1 PROTOCOL_ERROR");
  EXPECT_EQ(over(1).ending, Ending::reset);
  passes_back("HEADERS 3 end | :status: 204");
}

// --- windows

TEST_F(H2Forwarding, a_stream_that_is_not_read_stops_no_other) {
  meet("4=100000");
  client->gives_back(false);
  passes(asks(1));
  passes(asks(3));
  std::string big(100'000, 'a');
  service->say("HEADERS 1 | :status: 200");
  service->data(1, big + big, true);
  client->hears("HEADERS 1 | :status: 200");
  std::size_t heard = 0;
  while (heard < big.size()) heard += client->next().size() - std::string_view("DATA 1 ").size();
  EXPECT_EQ(heard, big.size());
  client->hears_nothing();
  passes_back("HEADERS 3 | :status: 200");
  passes_back("DATA 3 end hello");
  client->say("WINDOW_UPDATE 1 100000");
  EXPECT_EQ(client->hears_body(1).size(), big.size());
  EXPECT_EQ(over(1).response_bytes, 2 * big.size());
}
TEST_F(H2Forwarding, a_service_that_does_not_read_a_stream_stops_no_other) {
  meet("4=16777216", "4=1000");
  service->gives_back(false);
  passes(asks(1, "POST /x", "", false));
  std::string big(300'000, 'a');
  auto sent = client->data_that_fits(1, big, false);
  EXPECT_EQ(sent, 16384u);
  quiet();
  EXPECT_EQ(service->heard_so_far(1).size(), 1000u);
  client->say("WINDOW_UPDATE 0 1");
  passes(asks(3, "POST /y", "", false));
  passes("DATA 3 end small");
  EXPECT_EQ(service->heard_so_far(1).size(), 0u);
  service->say("WINDOW_UPDATE 1 100000");
  quiet();
  EXPECT_EQ(service->heard_so_far(1).size(), 15384u);
}
// Bodies larger than all windows, both ways at once, with sockets and proxy that hold little.
struct Sizes {
  std::string_view window;
  int sockets;
  std::size_t limit;
};
class H2Bodies : public H2Conversation, public testing::WithParamInterface<Sizes> {};
INSTANTIATE_TEST_SUITE_P(Sizes, H2Bodies,
                         testing::Values(Sizes{"4=16777216", 0, 256u << 10}, Sizes{"4=16777216", 4096, 256u << 10},
                                         Sizes{"4=16777216", 4096, 20'000}, Sizes{"4=1000", 4096, 1000},
                                         Sizes{"4=65535", 0, 50'000}));
TEST_P(H2Bodies, pass_whole_whatever_the_windows_are) {
  auto& p = GetParam();
  buffers = p.sockets;
  start({.buffer_limit = p.limit});
  meet(p.window, p.window);
  passes(asks(1, "POST /x", "", false));
  passes_back("HEADERS 1 | :status: 200");
  std::string up(1'500'000, 'u'), down(1'500'000, 'd');
  for (std::size_t i = 0; i < up.size(); i += 997) up[i] = down[i] = static_cast<char>('a' + i % 26);
  std::string heard_up, heard_down;
  std::string_view left_up = up, left_down = down;
  auto says = [](H2End& end, std::string_view& left) {
    if (end.unsent() == 0 && !left.empty())
      left.remove_prefix(end.data_that_fits(1, left.substr(0, 16384), left.size() <= 16384));
  };
  run_until([&] {
    says(*client, left_up);
    says(*service, left_down);
    heard_down += client->heard_so_far(1);
    heard_up += service->heard_so_far(1);
    return client->ended(1) && service->ended(1);
  });
  EXPECT_EQ(heard_up.size(), up.size());
  EXPECT_EQ(heard_down.size(), down.size());
  EXPECT_TRUE(heard_up == up);
  EXPECT_TRUE(heard_down == down);
  EXPECT_EQ(over(1).request_bytes, up.size());
  EXPECT_EQ(over(1).response_bytes, down.size());
}

// --- tunnels

TEST_F(H2Forwarding, a_connect_is_a_tunnel) {
  meet();
  passes("HEADERS 1 | :method: CONNECT | :authority: h:1");
  passes_back("HEADERS 1 | :status: 200");
  EXPECT_EQ(over(1).ending, Ending::answered);
  EXPECT_EQ(proxy->counts().upgraded, 1u);
  passes("DATA 1 ping");
  passes_back("DATA 1 pong");
  passes("DATA 1 end bye");
  passes_back("DATA 1 last");
  passes_back("DATA 1 end bye");
  goes_on(3);
  proxy->drain();
  client->hears("GOAWAY 3 NO_ERROR");
  client->hears_fin();
}
TEST_F(H2Forwarding, a_websocket_passes_in_a_tunnel_of_its_own) {
  meet("4=16777216", "8=1");
  passes(
      "HEADERS 1 | :method: CONNECT | :protocol: websocket | :scheme: http | :authority: h | :path: /chat | "
      "sec-websocket-version: 13");
  passes_back("HEADERS 1 | :status: 200 | sec-websocket-protocol: chat");
  passes("DATA 1 \x81\x05hello");
  passes_back("DATA 1 \x81\x05hello");
  passes("RST_STREAM 1 CANCEL");
  EXPECT_EQ(over(1).ending, Ending::answered);
  goes_on(3);
}
TEST_F(H2Forwarding, a_tunnel_that_the_service_resets_is_reset) {
  meet("4=16777216", "8=1");
  passes("HEADERS 1 | :method: CONNECT | :protocol: websocket | :scheme: http | :authority: h | :path: /chat");
  passes_back("HEADERS 1 | :status: 200");
  passes_back("RST_STREAM 1 CONNECT_ERROR");
  goes_on(3);
}
TEST_F(H2Forwarding, a_tunnel_ends_with_the_services_connection) {
  for (bool reset : {false, true}) {
    meet("4=16777216", "8=1");
    passes("HEADERS 1 | :method: CONNECT | :protocol: websocket | :scheme: http | :authority: h | :path: /chat");
    passes_back("HEADERS 1 | :status: 200");
    if (reset) {
      service->peer().reset();
      client->hears_rst();
    } else {
      service->peer().close();
      client->hears_fin();
    }
  }
}
TEST_F(H2Forwarding, a_connect_that_is_refused_is_no_tunnel) {
  meet();
  passes("HEADERS 1 | :method: CONNECT | :authority: h:1");
  passes_back("HEADERS 1 | :status: 403");
  passes_back("DATA 1 end no");
  passes("DATA 1 end");
  EXPECT_EQ(over(1).ending, Ending::answered);
  EXPECT_EQ(proxy->counts().upgraded, 0u);
  goes_on(3);
}

// --- the run

TEST_F(H2Forwarding, what_is_open_when_the_run_ends_is_recorded_so) {
  meet();
  passes(asks(1));
  passes(asks(3));
  passes_back("HEADERS 3 | :status: 200");
  proxy.reset();
  ASSERT_EQ(recorder.exchanges.size(), 2u);
  for (auto& e : recorder.exchanges) EXPECT_EQ(e.ending, Ending::open);
}
TEST_F(H2Forwarding, a_captured_service_that_speaks_http1_is_asked_for_it) {
  auto line = connect();
  client = std::make_unique<H2End>(std::move(line.client), H2End::Role::client);
  client->greets();
  client->say(asks(1));
  line.service->hears(proxy::kH2Preface);
  line.service->say("HTTP/1.1 400 Bad Request\r\n\r\n");
  EXPECT_TRUE(client->next().starts_with("SETTINGS"));
  client->hears("GOAWAY 0 HTTP_1_1_REQUIRED");
  client->hears_fin();
}
}  // namespace
}  // namespace retrial::test

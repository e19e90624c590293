// A proxy that stays, asked in HTTP/2: limits, ends, and services that speak HTTP/2 or HTTP/1.1.
#include <sys/resource.h>

#include "policies/fault_plan.h"
#include "proxy/codec/h2.h"
#include "tests/support/h2_end.h"
#include "tests/support/serving.h"
#include "trace/fault_name.h"

namespace retrial::test {
namespace {
using trace::Ending;

class H2Serving : public Serving {
 protected:
  std::unique_ptr<H2End> greeted(std::unique_ptr<Peer> peer) {
    auto end = std::make_unique<H2End>(std::move(peer), H2End::Role::client);
    end->greets();
    return end;
  }
  // Client and service speak HTTP/2.
  void meet() {
    client = greeted(comes());
    service = std::make_unique<H2End>(listener.accepts(), H2End::Role::service);
    service->hears_greeting();
    service->greets();
    client->hears_greeting();
  }
  void serve(proxy::Options options) {
    proxy.reset();
    Serving::serve(std::move(options));
  }
  std::unique_ptr<H2End> client, service;
};

TEST_F(H2Serving, heads_say_by_whom_they_were_passed_on) {
  meet();
  client->say(asks(1));
  service->hears(asks(1, "GET /x", " | via: 2.0 retrial"));
  service->say("HEADERS 1 | :status: 200\nDATA 1 end hello");
  client->hears("HEADERS 1 | :status: 200 | via: 2.0 retrial\nDATA 1 end hello");
  EXPECT_EQ(exchange().ending, Ending::answered);
}
TEST_F(H2Serving, a_head_beyond_the_limit_is_answered_431) {
  serve({.head_limit = 1000});
  meet();
  client->say(asks(1, "GET /x", " | x: " + std::string(1000, 'a')));
  auto head = client->next();
  EXPECT_TRUE(head.starts_with("HEADERS 1 | :status: 431")) << head;
  client->hears_body(1);
  service->hears_nothing();
  EXPECT_EQ(exchange().client_status, 431);
  EXPECT_EQ(proxy->counts().refused, 1u);
  client->say(asks(3));
  service->hears(asks(1, "GET /x", " | via: 2.0 retrial"));
}
TEST_F(H2Serving, a_body_beyond_the_limit_is_answered_413) {
  serve({.body_limit = 5});
  meet();
  client->say(asks(1, "POST /x", "", false));
  service->hears(asks(1, "POST /x", " | via: 2.0 retrial", false));
  client->say("DATA 1 four");
  service->hears("DATA 1 four");
  client->say("DATA 1 more");
  EXPECT_TRUE(client->next().starts_with("HEADERS 1 | :status: 413"));
  client->hears_body(1);
  client->hears("RST_STREAM 1 NO_ERROR");
  service->hears("RST_STREAM 1 CANCEL");
  EXPECT_EQ(exchange().client_status, 413);
}
TEST_F(H2Serving, a_service_that_is_not_there_is_answered_502) {
  auto options = std::make_shared<proxy::ListenerOptions>();
  options->route.host = "127.0.0.1";
  {
    Listener gone(loop);
    options->route.port = gone.port();
  }
  client = greeted(enter(options));
  client->say(asks(1));
  client->hears_greeting();
  EXPECT_TRUE(client->next().starts_with("HEADERS 1 | :status: 502"));
  EXPECT_NE(client->hears_body(1).find("could not be reached"), std::string::npos);
  EXPECT_EQ(exchange().client_status, 502);
  EXPECT_EQ(exchange().service_status, 0);
  client->say(asks(3, "POST /x", "", false));
  EXPECT_TRUE(client->next().starts_with("HEADERS 3 | :status: 502"));
  client->hears_body(3);
  client->hears("RST_STREAM 3 NO_ERROR");
  EXPECT_EQ(proxy->counts().unreachable, 2u);
}
TEST_F(H2Serving, a_drain_ends_the_connection_after_what_is_open) {
  meet();
  client->say(asks(1));
  service->hears(asks(1, "GET /x", " | via: 2.0 retrial"));
  proxy->drain();
  client->hears("GOAWAY 1 NO_ERROR");
  client->say(asks(3));
  service->hears_nothing();
  service->say("HEADERS 1 end | :status: 204");
  client->hears("HEADERS 1 end | :status: 204 | via: 2.0 retrial");
  client->hears_fin();
  service->hears_fin();
  EXPECT_EQ(recorder.exchanges.size(), 1u);
}
TEST_F(H2Serving, a_drain_takes_two_steps_and_what_sets_out_before_the_client_hears_of_it_is_answered) {
  serve({.drain_grace = 2 * kSecond});
  meet();
  client->say(asks(1));
  service->hears(asks(1, "GET /x", " | via: 2.0 retrial"));
  proxy->drain();
  client->hears("GOAWAY 2147483647 NO_ERROR");
  client->say(asks(3));
  service->hears(asks(3, "GET /x", " | via: 2.0 retrial"));
  for (auto stream : {"1", "3"}) {
    service->say(fmt::format("HEADERS {} end | :status: 204", stream));
    client->hears(fmt::format("HEADERS {} end | :status: 204 | via: 2.0 retrial", stream));
  }
  client->hears_nothing();  // another may be on its way
  advance(kSecond);
  client->say(asks(5));
  service->hears(asks(5, "GET /x", " | via: 2.0 retrial"));
  advance(kSecond);
  client->hears("GOAWAY 5 NO_ERROR");
  client->say(asks(7));
  service->hears_nothing();
  service->say("HEADERS 5 end | :status: 204");
  client->hears("HEADERS 5 end | :status: 204 | via: 2.0 retrial");
  client->hears_fin();
  service->hears_fin();
  EXPECT_EQ(recorder.exchanges.size(), 3u);
}
TEST_F(H2Serving, a_drain_ends_an_idle_connection_once_nothing_can_be_on_its_way) {
  serve({.drain_grace = 2 * kSecond});
  meet();
  proxy->drain();
  client->hears("GOAWAY 2147483647 NO_ERROR");
  advance(kSecond);
  client->hears_nothing();
  advance(kSecond);
  client->hears("GOAWAY 0 NO_ERROR");
  client->hears_fin();
}
TEST_F(H2Serving, a_client_that_ends_after_the_first_goaway_is_not_waited_for) {
  serve({.drain_grace = 2 * kSecond});
  meet();
  proxy->drain();
  client->hears("GOAWAY 2147483647 NO_ERROR");
  client->peer().close();
  service->hears_fin();
  quiet();
  EXPECT_EQ(proxy->connections(), 0u);
}
TEST_F(H2Serving, an_idle_connection_is_ended_and_one_that_waits_is_not) {
  serve({.idle_timeout = 10 * kSecond});
  meet();
  client->say(asks(1));
  service->hears(asks(1, "GET /x", " | via: 2.0 retrial"));
  advance(60 * kSecond);
  client->hears_nothing();
  service->say("HEADERS 1 end | :status: 204");
  client->hears("HEADERS 1 end | :status: 204 | via: 2.0 retrial");
  advance(9 * kSecond);
  client->hears_nothing();
  advance(2 * kSecond);
  client->hears("GOAWAY 1 NO_ERROR");
  client->hears_fin();
  service->hears_fin();
}
TEST_F(H2Serving, a_client_that_lingers_is_left) {
  meet();
  proxy->drain();
  client->hears("GOAWAY 0 NO_ERROR");
  client->hears_fin();
  EXPECT_EQ(proxy->connections(), 1u);
  advance(6 * kSecond);
  EXPECT_EQ(proxy->connections(), 0u);
}
TEST_F(H2Serving, of_a_thousand_streams_at_once_the_next_is_refused) {
  meet();
  EXPECT_EQ(client->setting(3), 1000u);
  for (std::uint32_t n = 0; n < 1000; n++) client->say(asks(2 * n + 1));
  client->hears_nothing();
  client->say(asks(2001));
  client->hears("RST_STREAM 2001 REFUSED_STREAM");
  EXPECT_EQ(proxy->open_exchanges(), 1000u);
}
TEST_F(H2Serving, a_forward_proxy_is_asked_in_http1) {
  client = greeted(comes(proxy::ListenMode::forward));
  EXPECT_TRUE(client->next().starts_with("SETTINGS"));
  client->hears("GOAWAY 0 HTTP_1_1_REQUIRED");
  client->hears_fin();
}

// --- services of HTTP/1.1

class H2ToH1 : public H2Serving {
 protected:
  void SetUp() override { begin(); }
  // A client whose service was found to speak HTTP/1.1.
  void begin() {
    client = greeted(comes());
    if (!known) {
      auto asked = listener.accepts();
      asked->hears(proxy::kH2Preface);
      asked->say("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
      known = true;
    }
    client->hears_greeting();
  }
  void hears(std::string_view request) {
    if (!h1) h1 = listener.accepts();
    h1->hears(request);
  }
  void answers(std::string_view response, std::string_view frames) {
    h1->say(response);
    client->hears(frames);
  }
  bool known = false;
  std::unique_ptr<Peer> h1;
};
constexpr std::string_view kHeard = "GET /x HTTP/1.1\r\nHost: h\r\nVia: 2.0 retrial\r\n\r\n";
constexpr std::string_view kFine = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
std::string ok(std::uint32_t stream) {
  auto n = std::to_string(stream);
  return "HEADERS " + n + " | :status: 200 | content-length: 2 | via: 1.1 retrial\nDATA " + n + " end ok";
}

TEST_F(H2ToH1, is_asked_and_answers_and_its_connection_is_used_again) {
  client->say(asks(1));
  hears(kHeard);
  answers(kFine, ok(1));
  client->say(asks(3));
  hears(kHeard);
  answers(kFine, ok(3));
  listener.accepts_nobody();
  auto& e = exchange(2);
  EXPECT_EQ(e.service_status, 200);
  EXPECT_EQ(e.stream, 3u);
  EXPECT_EQ(e.ending, Ending::answered);
  // another client's too
  begin();
  client->say(asks(1));
  hears(kHeard);
  answers(kFine, ok(1));
}
TEST_F(H2ToH1, greets_at_once_where_it_is_known) {
  client = greeted(comes());
  quiet();
  EXPECT_TRUE(client->next_if_any().starts_with("SETTINGS"));
}
TEST_F(H2ToH1, of_a_hundred_streams_at_once_the_next_is_refused) {
  EXPECT_EQ(client->setting(3), 100u);
  for (std::uint32_t n = 0; n < 100; n++) client->say(asks(2 * n + 1));
  client->hears_nothing();
  client->say(asks(201));
  client->hears("RST_STREAM 201 REFUSED_STREAM");
}
TEST_F(H2ToH1, streams_at_once_have_a_connection_each) {
  client->say(asks(1, "GET /a") + "\n" + asks(3, "GET /b"));
  auto a = listener.accepts(), b = listener.accepts();
  a->hears("GET /a HTTP/1.1\r\nHost: h\r\nVia: 2.0 retrial\r\n\r\n");
  b->hears("GET /b HTTP/1.1\r\nHost: h\r\nVia: 2.0 retrial\r\n\r\n");
  b->say(kFine);
  client->hears(ok(3));
  a->say(kFine);
  client->hears(ok(1));
}
TEST_F(H2ToH1, a_client_may_leave_as_the_connections_for_its_streams_are_made) {
  client->say(asks(1) + "\n" + asks(3) + "\n" + asks(5));
  client->peer().finish();
  quiet();
  for (std::size_t n : {1u, 2u, 3u}) EXPECT_EQ(exchange(n).ending, Ending::client_left);
  while (listener.accepts_if_any()) {
  }
  begin();
  client->say(asks(1));
  hears(kHeard);
  answers(kFine, ok(1));
}
TEST_F(H2ToH1, a_body_without_a_length_is_chunked_and_trailers_follow_it) {
  client->say(asks(1, "POST /x", " | te: trailers | cookie: a=1 | cookie: b=2 | x-retrial-test: t", false));
  hears("POST /x HTTP/1.1\r\nHost: h\r\ncookie: a=1; b=2\r\nTransfer-Encoding: chunked\r\nVia: 2.0 retrial\r\n\r\n");
  client->say("DATA 1 hello");
  hears("5\r\nhello\r\n");
  client->say("HEADERS 1 end | x-sum: 1");
  hears("0\r\nx-sum: 1\r\n\r\n");
  h1->say(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: X-Hop\r\nX-Hop: 1\r\nTrailer: x-t\r\n\r\n3\r\n");
  client->hears("HEADERS 1 | :status: 200 | trailer: x-t | via: 1.1 retrial");
  h1->say("abc\r\n");
  client->hears("DATA 1 abc");
  h1->say("0\r\nX-T: 2\r\n\r\n");
  client->hears("HEADERS 1 end | x-t: 2");
  auto& e = exchange();
  EXPECT_EQ(e.trailer_lines, "X-T: 2\r\n");
  EXPECT_EQ(e.response_sample, "abc");
  EXPECT_EQ(e.tag.test, "t");
}
TEST_F(H2ToH1, a_body_with_a_length_is_not_framed) {
  client->say(asks(1, "POST /x", " | content-length: 5", false));
  hears("POST /x HTTP/1.1\r\nHost: h\r\ncontent-length: 5\r\nVia: 2.0 retrial\r\n\r\n");
  client->say("DATA 1 hel\nDATA 1 end lo");
  hears("hello");
  answers(kFine, ok(1));
}
TEST_F(H2ToH1, responses_without_a_body_end_with_their_heads) {
  client->say(asks(1, "HEAD /x"));
  hears("HEAD /x HTTP/1.1\r\nHost: h\r\nVia: 2.0 retrial\r\n\r\n");
  answers("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
          "HEADERS 1 end | :status: 200 | content-length: 5 | via: 1.1 retrial");
  client->say(asks(3));
  hears(kHeard);
  answers("HTTP/1.1 204 No Content\r\n\r\n", "HEADERS 3 end | :status: 204 | via: 1.1 retrial");
  client->say(asks(5));
  hears(kHeard);
  answers("HTTP/1.1 304 Not Modified\r\nETag: a\r\nContent-Length: 5\r\n\r\n",
          "HEADERS 5 end | :status: 304 | etag: a | content-length: 5 | via: 1.1 retrial");
  client->say(asks(7));
  hears(kHeard);
  answers("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
          "HEADERS 7 end | :status: 200 | content-length: 0 | via: 1.1 retrial");
  listener.accepts_nobody();
}
TEST_F(H2ToH1, interim_responses_pass) {
  client->say(asks(1, "PUT /x", " | expect: 100-continue | content-length: 4", false));
  hears("PUT /x HTTP/1.1\r\nHost: h\r\nexpect: 100-continue\r\ncontent-length: 4\r\nVia: 2.0 retrial\r\n\r\n");
  answers("HTTP/1.1 100 Continue\r\n\r\n", "HEADERS 1 | :status: 100 | via: 1.1 retrial");
  client->say("DATA 1 end body");
  hears("body");
  answers(kFine, ok(1));
}
TEST_F(H2ToH1, a_body_may_end_with_its_connection) {
  client->say(asks(1));
  hears(kHeard);
  h1->say("HTTP/1.1 200 OK\r\n\r\nhel");
  client->hears("HEADERS 1 | :status: 200 | via: 1.1 retrial\nDATA 1 hel");
  h1->say("lo");
  client->hears("DATA 1 lo");
  h1->close();
  client->hears("DATA 1 end");
  EXPECT_EQ(exchange().ending, Ending::answered);
  EXPECT_EQ(exchange().response_bytes, 5u);
}
TEST_F(H2ToH1, a_body_that_breaks_off_is_no_whole_one) {
  client->say(asks(1));
  hears(kHeard);
  h1->say("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel");
  client->hears("HEADERS 1 | :status: 200 | content-length: 5 | via: 1.1 retrial\nDATA 1 hel");
  h1->close();
  client->hears("RST_STREAM 1 INTERNAL_ERROR");
  EXPECT_EQ(exchange().ending, Ending::reset);
  EXPECT_EQ(exchange().aborted, trace::Exchange::Aborted::by_service);
}
TEST_F(H2ToH1, a_service_that_ends_without_an_answer_is_answered_502) {
  for (bool reset : {false, true}) {
    auto stream = static_cast<std::uint32_t>(reset ? 3 : 1);
    client->say(asks(stream));
    h1 = listener.accepts();
    hears(kHeard);
    if (reset)
      h1->reset();
    else
      h1->close();
    EXPECT_TRUE(client->next().starts_with("HEADERS " + std::to_string(stream) + " | :status: 502"));
    client->hears_body(stream);
  }
  EXPECT_EQ(exchange(2).client_status, 502);
  EXPECT_EQ(proxy->counts().unreachable, 2u);
}
TEST_F(H2ToH1, what_cannot_be_read_is_answered_502_and_its_connection_ends) {
  std::uint32_t stream = 1;
  for (std::string_view answer : {"220 hello\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                                  "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                                  "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: w\r\n\r\n"}) {
    SCOPED_TRACE(answer);
    client->say(asks(stream));
    h1 = listener.accepts();
    hears(kHeard);
    h1->say(answer);
    EXPECT_TRUE(client->next().starts_with("HEADERS " + std::to_string(stream) + " | :status: 502"));
    client->hears_body(stream);
    h1->hears_rst();
    stream += 2;
  }
}
TEST_F(H2ToH1, a_response_that_says_more_than_was_asked_for_is_never_anothers) {
  client->say(asks(1));
  hears(kHeard);
  answers(std::string(kFine) + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil", ok(1));
  h1->hears_rst();
  h1.reset();
  client->say(asks(3));
  hears(kHeard);
  answers(kFine, ok(3));
}
TEST_F(H2ToH1, a_service_that_wants_its_connection_closed_is_asked_on_another) {
  client->say(asks(1));
  hears(kHeard);
  answers("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", ok(1));
  h1->hears_fin();
  h1.reset();
  client->say(asks(3));
  hears(kHeard);
}
TEST_F(H2ToH1, a_client_that_resets_its_stream_ends_its_connection_alone) {
  client->say(asks(1));
  client->say(asks(3));
  auto a = listener.accepts(), b = listener.accepts();
  a->hears(kHeard);
  b->hears(kHeard);
  client->say("RST_STREAM 1 CANCEL");
  a->hears_rst();
  b->say(kFine);
  client->hears(ok(3));
}
TEST_F(H2ToH1, an_early_answer_ends_the_request) {
  client->say(asks(1, "POST /x", "", false));
  hears("POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nVia: 2.0 retrial\r\n\r\n");
  answers("HTTP/1.1 413 No\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno",
          "HEADERS 1 | :status: 413 | content-length: 2 | via: 1.1 retrial\nDATA 1 end no");
  h1->close();
  client->hears("RST_STREAM 1 NO_ERROR");
  EXPECT_EQ(exchange().ending, Ending::answered);
}
TEST_F(H2ToH1, nothing_is_smuggled_into_its_requests) {
  std::uint32_t stream = 1;
  for (std::string_view more :
       {" | transfer-encoding: chunked", " | connection: x", " | content-length: 5", " | x: a\rb: c", " | x\ry: a",
        " | X: a", " | host: other", " | keep-alive: 1", " | upgrade: h2c", " | x:y: a"}) {
    SCOPED_TRACE(more);
    client->say(asks(stream, "GET /x", more));
    client->hears("RST_STREAM " + std::to_string(stream) + " PROTOCOL_ERROR");
    stream += 2;
  }
  for (std::string_view what : {"GET /x HTTP/1.1\rx: y", "GET /a b", "G\rT /", "GET x"}) {
    SCOPED_TRACE(what);
    client->say(asks(stream, what));
    client->hears("RST_STREAM " + std::to_string(stream) + " PROTOCOL_ERROR");
    stream += 2;
  }
  client->say(asks(stream, "POST /x", " | content-length: 2", false));
  hears("POST /x HTTP/1.1\r\nHost: h\r\ncontent-length: 2\r\nVia: 2.0 retrial\r\n\r\n");
  client->say("DATA " + std::to_string(stream) + " end okGET /evil");
  client->hears("RST_STREAM " + std::to_string(stream) + " PROTOCOL_ERROR");
  h1->hears_rst();
  EXPECT_EQ(recorder.exchanges.size(), 1u);
}
TEST_F(H2ToH1, a_connect_is_not_for_it) {
  client->say("HEADERS 1 | :method: CONNECT | :authority: h:1");
  auto head = client->next();
  EXPECT_TRUE(head.starts_with("HEADERS 1 | :status: 502")) << head;
  client->hears_body(1);
  client->hears("RST_STREAM 1 NO_ERROR");
  listener.accepts_nobody();
  client->say("HEADERS 3 | :method: CONNECT | :protocol: websocket | :scheme: http | :authority: h | :path: /");
  client->hears("RST_STREAM 3 PROTOCOL_ERROR");
}
// Whatever is to befall it, and whatever else goes wrong: the next client is served.
class H2Trouble : public H2ToH1, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    auto fault = policies::parse_fault_plan(GetParam());
    ASSERT_TRUE(fault) << fault.error().line();
    spec = fault->steps[0].fault;
    begin();
  }
  void next_client_is_served() {
    while (listener.accepts_if_any()) {
    }
    client.reset();
    quiet();
    begin();
    client->say(asks(1));
    hears(kHeard);
    answers(kFine, ok(1));
  }
  trace::FaultSpec spec;
};
INSTANTIATE_TEST_SUITE_P(Faults, H2Trouble,
                         testing::Values("reset(before-request)", "reset(after-head)", "close(after-head)",
                                         "stall(after-head)", "rst-stream(cancel, after-head)", "goaway", "delay(1ms)",
                                         "lost-response(reset)", "lost-response(stall)", "reset(in-body)",
                                         "drip(1, 1ms)", "truncate", "late-status(UNAVAILABLE)"));
TEST_P(H2Trouble, may_be_a_connect) {
  director.plan(1, spec);
  client->say("HEADERS 1 | :method: CONNECT | :authority: a:1");
  quiet();
  client->say("DATA 1 body");
  quiet();
  next_client_is_served();
}
TEST_P(H2Trouble, may_be_that_no_connection_can_be_made) {
  director.plan(1, spec);
  client->say(asks(1, "POST /x", "", false));
  {
    rlimit before{}, none{};
    getrlimit(RLIMIT_NOFILE, &before);
    none = {0, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    quiet();
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  }
  client->say("DATA 1 end body");
  quiet();
  next_client_is_served();
}
TEST_P(H2Trouble, may_be_that_the_service_breaks_off) {
  director.plan(1, spec);
  client->say(asks(1, "POST /x", "", false));
  quiet();
  if (auto service = listener.accepts_if_any()) {
    service->say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nZZ\r\n");
    quiet();
    service->reset();
  }
  client->say("DATA 1 end body");
  quiet();
  next_client_is_served();
}

TEST_F(H2ToH1, its_faults_are_those_of_a_stream) {
  director.plan(1, {.name = trace::FaultName::lost_response, .telling = trace::Telling::stall});
  director.plan(2, {.name = trace::FaultName::reset});
  client->say(asks(1));
  hears(kHeard);
  h1->say(kFine);
  client->hears_nothing();
  EXPECT_EQ(proxy->held_exchanges(), 1u);
  client->say(asks(3));
  client->hears_rst();
  EXPECT_EQ(exchange(1).id, 2u);
  EXPECT_EQ(exchange(2).service_status, 200);
  EXPECT_EQ(proxy->connections(), 0u);
}
TEST_F(H2ToH1, bodies_larger_than_what_is_held_pass_both_ways) {
  serve({.buffer_limit = 5000});
  known = false;
  begin();
  client->say(asks(1, "POST /x", " | content-length: 300000", false));
  h1 = listener.accepts();
  h1->hears("POST /x HTTP/1.1\r\nHost: h\r\ncontent-length: 300000\r\nVia: 2.0 retrial\r\n\r\n");
  std::string body(300'000, 'b');
  std::string_view left = body;
  std::string heard;
  run_until([&] {
    if (client->unsent() == 0 && !left.empty())
      left.remove_prefix(client->data_that_fits(1, left.substr(0, 16384), left.size() <= 16384));
    client->heard_so_far(1);
    if (auto come = h1->waiting()) heard += h1->hears_some(come);
    return heard.size() >= body.size();
  });
  EXPECT_TRUE(heard == body);
  h1->say("HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n" + body);
  client->hears("HEADERS 1 | :status: 200 | content-length: 300000 | via: 1.1 retrial");
  EXPECT_TRUE(client->hears_body(1) == body);
}
}  // namespace
}  // namespace retrial::test

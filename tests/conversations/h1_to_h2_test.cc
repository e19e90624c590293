// Clients of HTTP/1.1 at a listener whose service speaks HTTP/2 alone.
#include "tests/support/h2_end.h"
#include "tests/support/serving.h"
#include "trace/fault_name.h"

namespace retrial::test {
namespace {
using trace::Ending;

class H1ToH2 : public Serving {
 protected:
  void asks(std::string_view method = "GET") {
    auto options = std::make_shared<proxy::ListenerOptions>();
    options->route.host = "127.0.0.1";
    options->route.port = listener.port();
    options->route.http2 = true;
    client = enter(std::move(options));
    client->say(std::string(method) + " /a HTTP/1.1\r\nHost: x\r\n\r\n");
    service = std::make_unique<H2End>(listener.accepts(), H2End::Role::service);
    service->hears_greeting();
    service->greets();
    service->hears("HEADERS 1 end | :method: " + std::string(method) +
                   " | :scheme: http | :authority: x | :path: /a | via: 1.1 retrial");
  }
  std::unique_ptr<Peer> client;
  std::unique_ptr<H2End> service;
};

TEST_F(H1ToH2, a_service_that_says_nothing_is_answered_for_in_time) {
  serve({.head_timeout = 10 * kSecond});
  auto options = std::make_shared<proxy::ListenerOptions>();
  options->route = route_to(listener);
  options->route.http2 = true;
  client = enter(std::move(options));
  client->say(kAsked);
  auto silent = listener.accepts();
  advance(9 * kSecond);
  client->hears_nothing();
  advance(2 * kSecond);
  EXPECT_EQ(client->hears_some(12), "HTTP/1.1 504");
  EXPECT_EQ(exchange().client_status, 504);
}
TEST_F(H1ToH2, a_response_that_ends_with_its_head_tells_that_it_has_no_body) {
  asks();
  service->say("HEADERS 1 end | :status: 200 | etag: 1");
  client->hears("HTTP/1.1 200 OK\r\netag: 1\r\nContent-Length: 0\r\nVia: 2.0 retrial\r\n\r\n");
  EXPECT_EQ(exchange().ending, Ending::answered);
}
TEST_F(H1ToH2, responses_that_never_have_a_body_tell_nothing_of_it) {
  asks("HEAD");
  service->say("HEADERS 1 end | :status: 200");
  client->hears("HTTP/1.1 200 OK\r\nVia: 2.0 retrial\r\n\r\n");
  client->say("GET /b HTTP/1.1\r\nHost: x\r\n\r\n");
  service->next();
  service->say("HEADERS 3 end | :status: 204");
  client->hears("HTTP/1.1 204 No Content\r\nVia: 2.0 retrial\r\n\r\n");
  client->say("GET /c HTTP/1.1\r\nHost: x\r\n\r\n");
  service->next();
  service->say("HEADERS 5 end | :status: 304");
  client->hears("HTTP/1.1 304 Not Modified\r\nVia: 2.0 retrial\r\n\r\n");
}
TEST_F(H1ToH2, a_fault_that_has_fired_stays_so_where_the_service_then_gives_no_answer) {
  trace::FaultSpec fault{.name = trace::FaultName::delay, .delay = kMillisecond};
  director.plan(1, fault);
  asks();
  service->say("RST_STREAM 1 CANCEL");
  EXPECT_TRUE(client->hears_some(12) == "HTTP/1.1 502");
  EXPECT_TRUE(exchange().fired);
  EXPECT_EQ(exchange().evidence, "the request was held for 1 ms before the service heard of it");
}
TEST_F(H1ToH2, an_early_hint_has_its_own_words) {
  asks();
  service->say("HEADERS 1 | :status: 103 | link: a\nHEADERS 1 end | :status: 204");
  client->hears("HTTP/1.1 103 Early Hints\r\nlink: a\r\nVia: 2.0 retrial\r\n\r\n");
  client->hears("HTTP/1.1 204 No Content\r\nVia: 2.0 retrial\r\n\r\n");
}
TEST_F(H1ToH2, what_a_service_did_in_place_of_an_answer_is_said_as_it_was) {
  std::pair<std::string_view, std::string> what[] = {
      {"RST_STREAM 1 INTERNAL_ERROR", "reset the request's stream without an answer: INTERNAL_ERROR"},
      {"RST_STREAM 1 REFUSED_STREAM", "reset the request's stream without an answer: REFUSED_STREAM"},
      {"GOAWAY 0 NO_ERROR", "left the request out: GOAWAY (NO_ERROR)"},
      {"HEADERS 1 end | x: 1", "gave an answer that cannot be read as HTTP/2: "},
      {"DATA 0 x", "gave an answer that cannot be read as HTTP/2: "},
  };
  std::size_t n = 0;
  for (auto& [says, did] : what) {
    asks("POST");
    service->say(says);
    EXPECT_EQ(client->hears_some(12), "HTTP/1.1 502") << says;
    quiet();
    EXPECT_NE(client->take().find(" " + did), std::string::npos) << says;
    EXPECT_TRUE(exchange(++n).evidence.starts_with("the service " + did)) << exchange(n).evidence;
  }
}
// What the service tells the proxy of its connection its client cannot know.
TEST_F(H1ToH2, a_request_that_the_service_leaves_out_is_sent_once_more_whatever_its_method) {
  for (std::string_view says : {"GOAWAY 1 NO_ERROR", "RST_STREAM 3 REFUSED_STREAM"}) {
    asks();
    service->say("HEADERS 1 end | :status: 204");
    client->hears("HTTP/1.1 204 No Content\r\nVia: 2.0 retrial\r\n\r\n");
    client->say("POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody");
    auto head = service->next();
    EXPECT_EQ(service->hears_body(3), "body");
    service->say(says);
    if (says.starts_with("GOAWAY")) {
      service = std::make_unique<H2End>(listener.accepts(), H2End::Role::service);
      service->hears_greeting();
      service->greets();
      EXPECT_EQ(service->next().substr(9), head.substr(9));
      EXPECT_EQ(service->hears_body(1), "body");
      service->say("HEADERS 1 end | :status: 204");
    } else {
      EXPECT_EQ(service->next().substr(9), head.substr(9));
      EXPECT_EQ(service->hears_body(5), "body");
      service->say("HEADERS 5 end | :status: 204");
    }
    client->hears("HTTP/1.1 204 No Content\r\nVia: 2.0 retrial\r\n\r\n");
  }
  EXPECT_EQ(proxy->counts().sent_again, 2u);
}
TEST_F(H1ToH2, a_connection_that_ends_before_it_is_asked_is_no_end_of_the_next_response) {
  asks();
  service->say("HEADERS 1 end | :status: 204");
  client->hears("HTTP/1.1 204 No Content\r\nVia: 2.0 retrial\r\n\r\n");
  client->say("POST /b HTTP/1.1\r\n");
  client->hears_nothing();
  service->peer().close();
  client->hears_nothing();
  client->say("Host: x\r\nContent-Length: 0\r\n\r\n");
  service = std::make_unique<H2End>(listener.accepts(), H2End::Role::service);
  service->hears_greeting();
  service->greets();
  service->next();
  service->peer().close();
  client->hears_fin();
}
TEST_F(H1ToH2, a_connection_that_ends_under_a_request_fails_it_only_where_that_may_not_be_repeated) {
  for (std::string_view method : {"GET", "POST"}) {
    asks();
    service->say("HEADERS 1 end | :status: 204");
    client->hears("HTTP/1.1 204 No Content\r\nVia: 2.0 retrial\r\n\r\n");
    client->say(std::string(method) + " /b HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n");
    auto head = service->next();
    service->peer().close();
    if (method == "GET") {
      service = std::make_unique<H2End>(listener.accepts(), H2End::Role::service);
      service->hears_greeting();
      service->greets();
      EXPECT_EQ(service->next().substr(9), head.substr(9));
    } else {
      client->hears_fin();
      listener.accepts_nobody();
    }
  }
}

}  // namespace
}  // namespace retrial::test

#include "proxy/codec/intermediary.h"
#include "proxy/codec/h1.h"

#include <gtest/gtest.h>

namespace retrial::proxy {
namespace {

std::string passed(std::string_view request, RequestHead how = {.keep_tags = false, .authority = "service:1"}) {
  H1Codec codec(H1Codec::Side::request, {});
  EXPECT_EQ(codec.take(request).step, H1Codec::Step::head) << request;
  std::string out;
  pass_on(codec.head(), how, out);
  // What is passed on is a request that can be read in one way.
  H1Codec again(H1Codec::Side::request, {});
  EXPECT_EQ(again.take(out).step, H1Codec::Step::head) << out;
  EXPECT_EQ(again.head().raw.size(), out.size());
  EXPECT_EQ(again.head().ambiguous, "");
  return out;
}
std::string answered(std::string_view response, ResponseHead how = {}) {
  H1Codec codec(H1Codec::Side::response, {});
  EXPECT_EQ(codec.take(response).step, H1Codec::Step::head) << response;
  std::string out;
  pass_on(codec.head(), how, out);
  H1Codec again(H1Codec::Side::response, {});
  EXPECT_EQ(again.take(out).step, H1Codec::Step::head) << out;
  EXPECT_EQ(again.head().raw.size(), out.size());
  return out;
}

TEST(Intermediary, lines_that_stay_keep_their_bytes) {
  EXPECT_EQ(passed("\r\nget /A HTTP/1.7\r\nX:1\r\nhost:\tx \r\nX: 2\r\n\r\n"),
            "get /A HTTP/1.1\r\nX:1\r\nhost:\tx \r\nX: 2\r\nVia: 1.1 retrial\r\n\r\n");
}
TEST(Intermediary, what_connection_names_is_left_out_wherever_it_stands) {
  EXPECT_EQ(passed("GET / HTTP/1.1\r\nA: 1\r\nHost: x\r\nConnection: b , A\r\nB: 1\r\nconnection: c\r\na: 2\r\nD: "
                   "1\r\nC:\r\n\r\n"),
            "GET / HTTP/1.1\r\nHost: x\r\nD: 1\r\nVia: 1.1 retrial\r\n\r\n");
}
TEST(Intermediary, what_makes_the_message_is_never_left_out) {
  EXPECT_EQ(
      passed("POST / HTTP/1.1\r\nHost: x\r\nConnection: Host, Content-Length, close\r\nContent-Length: 3\r\n\r\n"),
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nVia: 1.1 retrial\r\n\r\n");
  EXPECT_EQ(passed("POST / HTTP/1.1\r\nHost: x\r\nConnection: Transfer-Encoding\r\nTransfer-Encoding: chunked\r\n\r\n"),
            "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nVia: 1.1 retrial\r\n\r\n");
}
TEST(Intermediary, the_agents_headers_are_left_out_unless_they_are_to_stay) {
  std::string_view request =
      "GET / HTTP/1.1\r\nX-Retrial-Test: a\r\nHost: x\r\nx-retrial-call: b\r\nX-Retrial: c\r\n\r\n";
  EXPECT_EQ(passed(request), "GET / HTTP/1.1\r\nHost: x\r\nX-Retrial: c\r\nVia: 1.1 retrial\r\n\r\n");
  EXPECT_EQ(passed(request, {.keep_tags = true, .authority = ""}),
            std::string(request.substr(0, request.size() - 2)) + "Via: 1.1 retrial\r\n\r\n");
}
TEST(Intermediary, an_absolute_target_becomes_path_and_host) {
  auto of = [](std::string_view line) {
    return passed(std::string(line) + " HTTP/1.1\r\nA: 1\r\nHost: other\r\nB: 2\r\n\r\n");
  };
  auto is = [](std::string_view line, std::string_view host) {
    return std::string(line) + " HTTP/1.1\r\nA: 1\r\nHost: " + std::string(host) +
           "\r\nB: 2\r\nVia: 1.1 retrial\r\n\r\n";
  };
  EXPECT_EQ(of("GET http://a/b?c"), is("GET /b?c", "a"));
  EXPECT_EQ(of("GET http://a:80"), is("GET /", "a:80"));
  EXPECT_EQ(of("GET http://a?b"), is("GET /?b", "a"));
  EXPECT_EQ(of("OPTIONS http://u:p@a"), is("OPTIONS *", "a"));
  EXPECT_EQ(of("OPTIONS http://a/"), is("OPTIONS /", "a"));
  EXPECT_EQ(of("GET http://[::1]:8080/@x"), is("GET /@x", "[::1]:8080"));
  EXPECT_EQ(of("GET /http://a/b"), is("GET /http://a/b", "other"));
}
TEST(Intermediary, a_request_without_a_host_is_given_the_services_or_its_targets) {
  EXPECT_EQ(passed("GET /a HTTP/1.0\r\n\r\n"), "GET /a HTTP/1.1\r\nHost: service:1\r\nVia: 1.0 retrial\r\n\r\n");
  EXPECT_EQ(passed("GET http://b/a HTTP/1.0\r\n\r\n"), "GET /a HTTP/1.1\r\nHost: b\r\nVia: 1.0 retrial\r\n\r\n");
}
TEST(Intermediary, upgrades_pass_but_for_those_that_nobody_means) {
  auto of = [](std::string_view to) {
    return passed("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: " + std::string(to) + "\r\n\r\n");
  };
  EXPECT_EQ(of("websocket"),
            "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nVia: 1.1 retrial\r\n\r\n");
  for (std::string_view none : {"h2c", "H2C", "TLS/1.0", "tls/1.2, HTTP/1.1"})
    EXPECT_EQ(of(none), "GET / HTTP/1.1\r\nHost: x\r\nVia: 1.1 retrial\r\n\r\n");
  EXPECT_EQ(passed("GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n\r\n"),
            "GET / HTTP/1.1\r\nHost: x\r\nVia: 1.1 retrial\r\n\r\n");
}
TEST(Intermediary, an_answer_keeps_its_status_line_and_is_of_our_version) {
  EXPECT_EQ(answered("HTTP/1.0 299 As It Likes\r\nA: 1\r\nConnection: b\r\nB: 2\r\nDate: x\r\n\r\n"),
            "HTTP/1.1 299 As It Likes\r\nA: 1\r\nDate: x\r\nVia: 1.0 retrial\r\n\r\n");
  EXPECT_EQ(answered("HTTP/1.1 200 \r\n\r\n"), "HTTP/1.1 200 \r\nVia: 1.1 retrial\r\n\r\n");
}
TEST(Intermediary, an_answer_says_how_the_clients_connection_goes_on) {
  std::string_view ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
  std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n", via = "Via: 1.1 retrial\r\n\r\n";
  EXPECT_EQ(answered(ok), head + via);
  EXPECT_EQ(answered(ok, {.keep_alive = false}), head + "Connection: close\r\n" + via);
  EXPECT_EQ(answered(ok, {.minor = 0}), head + "Connection: keep-alive\r\n" + via);
  EXPECT_EQ(answered(ok, {.keep_alive = false, .minor = 0}), head + "Connection: close\r\n" + via);
}
TEST(Intermediary, interim_answers_and_204_carry_no_framing) {
  for (std::string_view line : {"HTTP/1.1 100 Continue\r\n", "HTTP/1.1 204 No Content\r\n"})
    EXPECT_EQ(answered(std::string(line) + "Content-Length: 3\r\nA: 1\r\nTransfer-Encoding: chunked\r\n\r\n"),
              std::string(line) + "A: 1\r\nVia: 1.1 retrial\r\n\r\n");
  EXPECT_EQ(answered("HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\n\r\n"),
            "HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\nVia: 1.1 retrial\r\n\r\n");
}
TEST(Intermediary, without_framing_there_is_no_coding_of_it) {
  EXPECT_EQ(
      answered("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nA: 1\r\n\r\n", {.keep_alive = false, .minor = 0}),
      "HTTP/1.1 200 OK\r\nA: 1\r\nConnection: close\r\nVia: 1.1 retrial\r\n\r\n");
}
TEST(Intermediary, who_is_proxy_and_who_speaks_h2c_is_no_matter_of_the_services) {
  EXPECT_EQ(passed("GET / HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic x\r\nA: 1\r\n\r\n"),
            "GET / HTTP/1.1\r\nHost: x\r\nA: 1\r\nVia: 1.1 retrial\r\n\r\n");
  EXPECT_EQ(passed("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: a, h2c,TLS/1.0, b\r\n\r\n"),
            "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: a, b\r\nConnection: Upgrade\r\nVia: 1.1 retrial\r\n\r\n");
}
TEST(Intermediary, trailers_that_could_change_the_message_stay_behind) {
  std::string out;
  pass_on_trailers("x-sum: 1\r\ncontent-length: 3\r\nHost: a\r\nauthorization: b\r\ny: 2\r\n", out);
  EXPECT_EQ(out, "x-sum: 1\r\ny: 2\r\n");
}
TEST(Intermediary, folds_become_spaces) {
  EXPECT_EQ(answered("HTTP/1.1 200 OK\r\nA: 1\r\n\t2\r\n 3\r\nB: 4\r\nContent-Length: 0\r\n\r\n"),
            "HTTP/1.1 200 OK\r\nA: 1  \t2   3\r\nB: 4\r\nContent-Length: 0\r\nVia: 1.1 retrial\r\n\r\n");
}

}  // namespace
}  // namespace retrial::proxy

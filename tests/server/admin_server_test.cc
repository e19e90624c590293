// The admin side on real sockets: who gives way where no more may be, and what is answered to what cannot be read.
#include "proxy/admin/admin_server.h"

#include <netinet/in.h>

#include "tests/support/sockets.h"

namespace retrial::proxy {
namespace {

class AdminSide : public ::testing::Test {
 protected:
  void SetUp() override {
    AdminServer::Settings settings{.socket = {}, .at = {Address::v4(INADDR_LOOPBACK, 0)}, .guard = {}};
    settings.guard.token = kToken;
    auto handle = [this](AdminRequest request, const AdminServer::Answer& reply) {
      asked.push_back(request.method + " " + request.path + " " + request.body);
      if (request.path == "/held") return held.push_back(reply);
      reply({.body = request.path + "\n", .events = request.path == "/events"});
    };
    auto started = AdminServer::start(std::move(settings), handle, log);
    ASSERT_TRUE(started) << started.error().line();
    server = std::move(*started);
    at = *Address::parse(server->at());
  }
  static std::string request(std::string_view line, std::string_view more = "") {
    return std::string(line) + " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + std::string(kToken) + "\r\n" +
           std::string(more) + "\r\n";
  }
  // An operator's, as any other's: on a connection of its own.
  std::string is_asked(const std::string& bytes) {
    test::Client client(at);
    client.say(bytes);
    return client.hears_answer();
  }
  void expect_a_halt_is_answered() {
    EXPECT_TRUE(is_asked(request("POST /halt", "Content-Length: 0\r\n")).starts_with("HTTP/1.1 200 OK\r\n"));
  }

  static constexpr const char* kToken = "0123456789abcdef";
  test::KeptLog log;
  std::vector<std::string> asked;         // its thread writes it; read once that has answered
  std::vector<AdminServer::Answer> held;  // likewise
  std::unique_ptr<AdminServer> server;
  Address at;
};

TEST_F(AdminSide, who_says_nothing_gives_way_and_a_halt_is_answered) {
  std::vector<test::Client> idle;
  for (std::size_t i = 0; i < 3 * AdminServer::kMostConnections; i++) idle.emplace_back(at);
  expect_a_halt_is_answered();
  EXPECT_TRUE(idle.front().hears_end()) << "it has waited for longest";
}

TEST_F(AdminSide, who_never_ends_a_head_or_a_body_gives_way) {
  std::vector<test::Client> slow;
  for (std::size_t i = 0; i < AdminServer::kMostConnections; i++) {
    slow.emplace_back(at).say("GET /state HTTP/1.1\r\nX: ");
    slow.emplace_back(at).say(request("PUT /rules", "Content-Length: 100\r\n") + "[");
  }
  expect_a_halt_is_answered();
}

TEST_F(AdminSide, feeds_are_bounded_by_themselves_and_the_oldest_gives_way) {
  std::vector<test::Client> feeds;
  for (std::size_t i = 0; i <= AdminServer::kMostFeeds; i++) {
    feeds.emplace_back(at).say(request("GET /events"));
    EXPECT_TRUE(feeds.back().hears_answer().starts_with("HTTP/1.1 200 OK\r\n"));
  }
  std::vector<test::Client> idle;
  for (std::size_t i = 0; i < 2 * AdminServer::kMostConnections; i++) idle.emplace_back(at);
  expect_a_halt_is_answered();
  EXPECT_TRUE(feeds.front().hears_answer().ends_with("/events\n"));
  EXPECT_TRUE(feeds.front().hears_end());
  server->publish("state", "{}");
  server.reset();
  EXPECT_NE(feeds.back().hears_answer().find("/events\nevent: state\ndata: {}\n\n"), std::string::npos)
      << "idle connections end no feed";
}

TEST_F(AdminSide, whose_request_is_being_answered_does_not_give_way) {
  test::Client slow(at);
  slow.say(request("GET /held"));
  std::vector<test::Client> idle;
  for (std::size_t i = 0; i < 2 * AdminServer::kMostConnections; i++) idle.emplace_back(at);
  expect_a_halt_is_answered();
  ASSERT_EQ(held.size(), 1u);
  held.front()({.body = "late\n"});
  EXPECT_TRUE(slow.hears_answer().ends_with("late\n"));
}

TEST_F(AdminSide, HEAD_is_answered_as_GET_is_without_the_body) {
  test::Client client(at);
  client.say(request("HEAD /health") + request("GET /state"));
  auto both = client.hears_answer();
  EXPECT_TRUE(both.starts_with("HTTP/1.1 200 OK\r\n")) << both;
  EXPECT_NE(both.find("Content-Length: 8\r\n"), both.npos) << both;
  EXPECT_TRUE(both.ends_with("\r\n\r\nHTTP/1.1")) << "no body: the next answer stands there. " << both;
  EXPECT_TRUE(client.hears_answer().ends_with("/state\n"));
  EXPECT_EQ(asked.front(), "GET /health ");
}

TEST_F(AdminSide, who_waits_for_100_is_told_to_go_on_and_who_may_not_speak_is_not) {
  test::Client client(at);
  client.say(request("PUT /rules/a", "Expect: 100-continue\r\nContent-Length: 2\r\n"));
  EXPECT_EQ(client.hears_answer(), "HTTP/1.1 100 Continue\r\n\r\n");
  client.say("{}");
  EXPECT_TRUE(client.hears_answer().ends_with("/rules/a\n"));
  EXPECT_EQ(asked.back(), "PUT /rules/a {}");
  test::Client other(at);
  other.say("PUT /rules/a HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_TRUE(other.hears_answer().starts_with("HTTP/1.1 401 "));
  EXPECT_TRUE(other.hears_end()) << "its body is not waited for";
}

TEST_F(AdminSide, what_is_no_request_or_more_than_one_is_told_so) {
  auto status = [this](const std::string& bytes) { return is_asked(bytes).substr(9, 3); };
  std::string line = "GET /state HTTP/1.1\r\n", auth = "Authorization: Bearer " + std::string(kToken) + "\r\n";
  EXPECT_EQ(status(line + auth + "Host: 127.0.0.1\r\nHost: evil\r\n\r\n"), "400");
  EXPECT_EQ(status(line + auth + "\r\n"), "400") << "no Host";
  EXPECT_EQ(status(request("POST /halt", "Origin: http://127.0.0.1\r\nOrigin: http://evil\r\nContent-Length: 0\r\n")),
            "400");
  EXPECT_EQ(status(request("PUT /a", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n") + "0\r\n\r\n"), "400");
  EXPECT_EQ(status(request("PUT /a", "Content-Length: 5\r\nContent-Length: 3\r\n") + "abcde"), "400");
  EXPECT_EQ(status(std::string(1000, '\0')), "400");
  EXPECT_EQ(status(request("GET /state", "X: " + std::string(2'000'000, 'x') + "\r\n")), "431");
  EXPECT_TRUE(asked.empty());
}

}  // namespace
}  // namespace retrial::proxy

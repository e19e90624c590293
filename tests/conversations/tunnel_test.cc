// What is no HTTP/1 passes as it is, and is counted.
#include "tests/support/conversation.h"
#include "trace/fault_name.h"

namespace retrial::test {
namespace {
using trace::Ending;

class Tunnel : public Conversation {
 protected:
  void expect_tunnel(Line& line) {
    EXPECT_EQ(proxy->tunnels(), 1u);
    line.service->say("\x01\x02");
    line.client->hears("\x01\x02");
    line.client->say("GET / HTTP/1.1\r\n\r\n");
    line.service->hears("GET / HTTP/1.1\r\n\r\n");
    line.client->finish();
    line.service->hears_fin();
    line.service->say("later");
    line.client->hears("later");
    line.service->reset();
    line.client->hears_rst();
  }
};

TEST_F(Tunnel, bytes_that_are_no_method_pass_at_once) {
  for (std::string_view bytes :
       {std::string_view("\0\0\0\x08", 4), std::string_view("\x16\x03\x01"), std::string_view("*1\r\n")}) {
    start({});
    auto line = connect();
    line.client->say(bytes);
    line.service->hears(bytes);
    expect_tunnel(line);
  }
  EXPECT_TRUE(recorder.order.empty());
}
TEST_F(Tunnel, what_begins_like_a_method_and_is_none_passes_whole) {
  auto line = connect();
  line.client->say("P");
  line.service->hears_nothing();
  line.client->say("ING\r\n");
  line.service->hears("PING\r\n");
  expect_tunnel(line);
}
TEST_F(Tunnel, a_service_that_speaks_first_is_heard) {
  auto line = connect();
  line.service->say("220 ready\r\n");
  line.client->hears("220 ready\r\n");
  line.client->say("EHLO me\r\n");
  line.service->hears("EHLO me\r\n");
  expect_tunnel(line);
}
TEST_F(Tunnel, a_head_beyond_the_limit_passes_as_it_is) {
  start({.head_limit = 100});
  auto line = connect();
  std::string request = "GET / HTTP/1.1\r\nA: " + std::string(200, 'a') + "\r\n\r\n";
  line.client->say(request);
  line.service->hears(request);
  expect_tunnel(line);
}
TEST_F(Tunnel, an_upgraded_connection_passes_after_the_answer) {
  auto line = connect();
  line.client->say("GET /ws HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nearly");
  line.service->hears("GET /ws HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
  line.service->say("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nframe");
  line.client->hears("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nframe");
  line.service->hears("early");
  EXPECT_EQ(exchange().client_status, 101);
  EXPECT_EQ(exchange().ending, Ending::answered);
  expect_tunnel(line);
}
TEST_F(Tunnel, an_upgrade_that_is_not_taken_up_is_a_request_like_any_other) {
  auto [client, service] = connect();
  for (int twice = 0; twice < 2; twice++) {
    client->say("GET / HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n");
    service->hears("GET / HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n");
    service->say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    client->hears("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  }
  EXPECT_EQ(exchange(2).client_status, 200);
  EXPECT_EQ(proxy->tunnels(), 0u);
}
TEST_F(Tunnel, a_connect_that_is_granted_passes_after_the_answer) {
  auto line = connect();
  line.client->say("CONNECT a:1 HTTP/1.1\r\n\r\n");
  line.service->hears("CONNECT a:1 HTTP/1.1\r\n\r\n");
  line.service->say("HTTP/1.1 200 Connected\r\n\r\n");
  line.client->hears("HTTP/1.1 200 Connected\r\n\r\n");
  EXPECT_EQ(exchange().client_status, 200);
  expect_tunnel(line);
}
TEST_F(Tunnel, a_body_whose_framing_is_broken_passes_from_there_on) {
  auto line = connect();
  std::string request = "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\nzz\r\nmore";
  line.client->say(request);
  line.service->hears(request);
  line.service->say("HTTP/1.1 400 Bad Request\r\n\r\n");
  line.client->hears("HTTP/1.1 400 Bad Request\r\n\r\n");
  line.service->close();
  line.client->hears_fin();
  EXPECT_EQ(exchange().ending, Ending::closed);
  EXPECT_EQ(proxy->tunnels(), 1u);
}
TEST_F(Tunnel, a_response_whose_framing_is_broken_passes_in_order_also_where_it_drips) {
  director.plan(1, {.name = trace::FaultName::drip, .delay = kMillisecond, .bytes = 1});
  auto line = connect();
  line.client->say("GET / HTTP/1.1\r\n\r\n");
  line.service->hears("GET / HTTP/1.1\r\n\r\n");
  std::string response = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nZZ\r\n";
  line.service->say(response);
  line.client->hears(response);
  line.service->close();
  line.client->hears_fin();
}
TEST_F(Tunnel, bytes_behind_a_response_pass_from_there_on) {
  auto line = connect();
  line.client->say("GET / HTTP/1.1\r\n\r\n");
  line.service->hears("GET / HTTP/1.1\r\n\r\n");
  line.service->say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more");
  line.client->hears("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more");
  EXPECT_EQ(exchange().ending, Ending::answered);
  expect_tunnel(line);
}

// On a clock that stands still.
class DrainedTunnel : public Conversation {
 protected:
  DrainedTunnel() { proxy = std::make_unique<proxy::Proxy>(loop, stands, director, recorder); }
  ~DrainedTunnel() override { proxy.reset(); }
  void passes(Nanos time) {
    stands.advance(time);
    proxy->sweep();
  }
  void ends() {
    run_until([&] { return proxy->connections() == 0; });
  }
  ManualClock stands;
};
constexpr std::string_view kUpgrade = "GET /ws HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
constexpr std::string_view kUpgraded =
    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
const std::string kToClient("\x88\x02\x03\xe9", 4), kToService("\x88\x82\0\0\0\0\x03\xe9", 8);  // RFC 6455 5.5.1, 1001

TEST_F(DrainedTunnel, of_a_websocket_that_is_drained_both_sides_are_told_that_it_goes_away) {
  auto line = connect();
  line.client->say(kUpgrade);
  line.service->hears(kUpgrade);
  line.service->say(std::string(kUpgraded) + "\x81\x02hi");
  line.client->hears(std::string(kUpgraded) + "\x81\x02hi");
  proxy->drain();
  line.client->hears(kToClient);
  line.service->hears(kToService);
  line.client->hears_fin();
  line.service->hears_fin();
  line.client->say("\x88\x80mask");
  line.client->finish();
  line.service->finish();
  ends();
}
TEST_F(DrainedTunnel, of_a_websocket_that_is_drained_a_frame_under_way_comes_to_its_end) {
  auto line = connect();
  line.client->say(kUpgrade);
  line.service->hears(kUpgrade);
  line.service->say(std::string(kUpgraded) + "\x81\x04ha");
  line.client->hears(std::string(kUpgraded) + "\x81\x04ha");
  proxy->drain();
  line.service->hears(kToService);
  line.client->hears_nothing();
  line.service->say("lf\x81\x02no");
  line.client->hears("lf\x81\x02no" + kToClient);
  passes(kSecond);
  ends();  // whoever does not answer is not waited for
}
TEST_F(DrainedTunnel, that_is_drained_ends_once_nothing_has_passed_for_a_second) {
  auto line = connect();
  line.client->say("\x01\x02");
  line.service->hears("\x01\x02");
  proxy->drain();
  line.service->say("later");
  line.client->hears("later");
  passes(kSecond / 2);
  line.client->say("more");
  line.service->hears("more");
  passes(kSecond);
  line.client->hears_fin();
  line.service->hears_fin();
  line.client->finish();
  line.service->finish();
  ends();
}
}  // namespace
}  // namespace retrial::test

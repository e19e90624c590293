// Faults that a connection meets before any request: accepted by a listener, or at its ClientHello.
#include "policies/fault_plan.h"
#include "tests/proxy/tls_ends.h"
#include "tests/support/conversation.h"
#include "tests/support/sockets.h"
#include "trace/fault_name.h"

namespace retrial::test {
namespace {
using trace::Ending;
using trace::FaultName;

constexpr std::string_view kGet = "GET /x HTTP/1.1\r\nHost: h\r\n\r\n";

// A reverse listener before a service that is one end of a pair; a TLS client that is nothing but OpenSSL.
class ConnectionFault : public Conversation {
 protected:
  ConnectionFault() : context(TLS_client_method()) {
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), leaves.authority().credential().certificate.get());
    proxy::Options options;
    options.to_clients = &ends;
    start(options);
  }
  void meets(std::string_view text) {
    auto plan = policies::parse_fault_plan(text);
    ASSERT_TRUE(plan) << plan.error().line();
    director.connections.push_back(plan->steps[0].fault);
  }
  // The client's end of a connection that a listener has accepted.
  int accepted() {
    auto [ours, theirs] = tcp_pair();
    proxy->take({.client = ours, .listener = options, .pid = 42});
    return theirs;
  }
  std::unique_ptr<RawTls> greets() {
    auto client = std::make_unique<RawTls>(context);
    client->fd = accepted();
    SSL_set_tlsext_host_name(client->ssl, "api.example");
    SSL_set1_host(client->ssl, "api.example");
    return client;
  }
  // The same of a forward listener.
  int asks_for() {
    auto [ours, theirs] = tcp_pair();
    proxy->take({.client = ours,
                 .listener = std::make_shared<proxy::ListenerOptions>(
                     proxy::ListenerOptions{.mode = proxy::ListenMode::forward}),
                 .pid = 42});
    return theirs;
  }
  void until_over(RawTls& client) {
    run_until([&] {
      client.step();
      return client.fin || client.rst || client.through();
    });
  }
  // The next request of the process to the service, on a connection that a capture has made.
  void carried(std::string_view evidence) {
    auto line = connect();
    line.client->say(kGet);
    line.service->hears(kGet);
    line.service->say("HTTP/1.1 204 No Content\r\n\r\n");
    line.client->hears("HTTP/1.1 204 No Content\r\n\r\n");
    auto& e = exchange(1);
    EXPECT_TRUE(e.fired);
    EXPECT_EQ(e.evidence, evidence);
    EXPECT_EQ(e.ending, Ending::answered);
    EXPECT_EQ(recorder.order, (std::vector<std::string>{"head 1", "fired 1", "answer 1", "over 1"}));
    line.client->say(kGet);
    line.service->hears(kGet);
    line.service->say("HTTP/1.1 204 No Content\r\n\r\n");
    line.client->hears("HTTP/1.1 204 No Content\r\n\r\n");
    EXPECT_FALSE(exchange(2).fired);
  }

  certs::LeafStore leaves{new_authority(), clock};
  proxy::TlsToClients ends{leaves};
  Context context;
  // Its service is called as the captured connections' of Conversation are.
  std::shared_ptr<const proxy::ListenerOptions> options = std::make_shared<proxy::ListenerOptions>(
      proxy::ListenerOptions{.route = {.host = "127.0.0.1", .port = 1, .service = "127.0.0.1:8080"}});
};

TEST_F(ConnectionFault, a_refused_connection_is_an_rst_before_a_byte_was_read) {
  meets("refuse-connect");
  Peer client(loop, accepted());
  client.hears_rst();
  carried("the connection was refused");
}
TEST_F(ConnectionFault, connections_that_are_refused_one_after_another_are_carried_together) {
  meets("refuse-connect");
  meets("refuse-connect");
  Peer one(loop, accepted()), two(loop, accepted());
  one.hears_rst();
  two.hears_rst();
  carried("the connection was refused, 2 times");
}
TEST_F(ConnectionFault, a_connection_that_is_never_answered_is_silent_whatever_is_said) {
  meets("connect-timeout");
  Peer client(loop, accepted());
  client.say(kGet);
  client.hears_nothing();
  EXPECT_EQ(proxy->connections(), 1u);
  client.close();
  quiet();
  EXPECT_EQ(proxy->connections(), 0u);
  carried("the connection was never answered");
}
TEST_F(ConnectionFault, what_a_connection_says_that_is_never_answered_is_read_in_turn_with_others) {
  meets("connect-timeout");
  Peer client(loop, accepted());
  quiet();
  std::string much(1 << 20, 'a');
  std::size_t said = 0;
  for (std::size_t some = 1; some > 0;) said += some = client.say_what_fits(much);
  loop.round(false);
  EXPECT_LT(client.say_what_fits(much), said / 2);
  client.hears_nothing();
}
TEST_F(ConnectionFault, a_slow_connection_is_heard_after_its_time) {
  meets("slow-connect(20ms)");
  auto began = clock.now();
  Peer client(loop, accepted());
  client.say("no HTTP\r\n\r\n");
  client.hears_nothing();
  EXPECT_EQ(client.hears_some(12), "HTTP/1.1 400");
  EXPECT_GE(clock.now() - began, 20 * kMillisecond);
  carried("the connection was answered after 20 ms");
}
TEST_F(ConnectionFault, a_refused_handshake_is_an_alert_to_the_client_hello) {
  meets("tls-refuse");
  Peer client(loop, accepted());
  RawTls hello(context);
  hello.step();
  client.say(hello.out);
  client.hears(std::string("\x15\x03\x03\x00\x02\x02\x28", 7));
  client.hears_fin();
  carried("the alert handshake_failure to the ClientHello");
}
TEST_F(ConnectionFault, an_expired_certificate_is_refused_by_a_client_that_looks) {
  meets("tls-expired");
  auto client = greets();
  until_over(*client);
  EXPECT_FALSE(client->through());
  EXPECT_EQ(SSL_get_verify_result(client->ssl), X509_V_ERR_CERT_HAS_EXPIRED);
  EXPECT_EQ(proxy->counts().distrusting, 0u);
  carried("a certificate whose time is over");
}
TEST_F(ConnectionFault, a_certificate_for_another_name_is_refused_by_a_client_that_looks) {
  meets("tls-wrong-name");
  auto client = greets();
  until_over(*client);
  EXPECT_FALSE(client->through());
  EXPECT_EQ(SSL_get_verify_result(client->ssl), X509_V_ERR_HOSTNAME_MISMATCH);
  EXPECT_EQ(proxy->counts().distrusting, 0u);
  carried("a certificate for another name");
}
TEST_F(ConnectionFault, a_handshake_is_cut_by_a_fin_after_the_server_hello) {
  meets("tls-cut");
  Peer client(loop, accepted());
  RawTls hello(context);
  SSL_set_tlsext_host_name(hello.ssl, "api.example");
  hello.step();
  client.say(hello.out);
  auto flight = client.hears_some(6);
  ASSERT_EQ(flight.size(), 6u);
  EXPECT_EQ(flight[0], 22);  // a handshake record (RFC 8446 5.1)
  EXPECT_EQ(flight[5], 2);   // server_hello
  EXPECT_EQ(client.hears_some(1000).size(), 48u);
  client.hears_fin();
  carried("FIN after the ServerHello");
}
TEST_F(ConnectionFault, a_handshake_is_cut_by_an_rst) {
  meets("tls-cut(reset)");
  Peer client(loop, accepted());
  RawTls hello(context);
  hello.step();
  client.say(hello.out);
  EXPECT_EQ(client.hears_some(1000).substr(0, 1), "\x16");
  client.hears_rst();
  carried("RST after the ServerHello");
}
TEST_F(ConnectionFault, a_forwarded_request_meets_what_the_dial_for_it_meets) {
  meets("refuse-connect");
  meets("tls-refuse");
  Origin origin("o");
  auto ask = "GET http://" + origin.at().show() + "/x HTTP/1.1\r\nHost: h\r\n\r\n";
  Peer client(loop, asks_for());
  client.say(ask);
  EXPECT_EQ(client.hears_some(12), "HTTP/1.1 502");
  const auto refused = exchange(1);
  EXPECT_TRUE(refused.fired);
  EXPECT_EQ(refused.fault.name, FaultName::refuse_connect);
  EXPECT_EQ(refused.evidence, "the connection was refused");
  EXPECT_EQ(refused.client_status, 502);
  EXPECT_EQ(origin.connections(), 0);

  Peer next(loop, asks_for());
  next.say(ask);
  EXPECT_EQ(next.hears_some(12), "HTTP/1.1 200");
  EXPECT_FALSE(exchange(2).fired);
  next.say(ask);
  EXPECT_EQ(director.connections.size(), 0u);
  auto& all = proxy->connection_faults();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].exchange, refused.id);
  EXPECT_FALSE(all[1].fired);
  EXPECT_EQ(all[1].evidence, "a request for a forward proxy has no handshake with its service");
}
TEST_F(ConnectionFault, a_forwarded_request_waits_for_a_slow_dial) {
  meets("slow-connect(20ms)");
  Origin origin("o");
  auto began = clock.now();
  Peer client(loop, asks_for());
  client.say("GET http://" + origin.at().show() + "/x HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(client.hears_some(12), "HTTP/1.1 200");
  EXPECT_GE(clock.now() - began, 20 * kMillisecond);
  EXPECT_EQ(exchange(1).evidence, "the connection was answered after 20 ms");
}
TEST_F(ConnectionFault, a_forwarded_request_is_held_by_a_dial_that_is_never_answered) {
  meets("connect-timeout");
  Peer client(loop, asks_for());
  client.say("GET http://127.0.0.1:1/x HTTP/1.1\r\nHost: h\r\n\r\n");
  client.hears_nothing();
  EXPECT_EQ(proxy->held_exchanges(), 1u);
  client.close();
  quiet();
  EXPECT_EQ(exchange(1).ending, Ending::client_left);
  EXPECT_EQ(exchange(1).evidence, "the connection was never answered");
}
TEST_F(ConnectionFault, one_of_the_handshake_says_that_there_was_none) {
  meets("tls-refuse");
  Peer client(loop, accepted());
  client.say("no HTTP\r\n\r\n");
  EXPECT_EQ(client.hears_some(12), "HTTP/1.1 400");
  ASSERT_EQ(proxy->connection_faults().size(), 1u);
  EXPECT_FALSE(proxy->connection_faults()[0].fired);
  EXPECT_EQ(proxy->connection_faults()[0].evidence, "nothing of TLS was opened on it");
}
TEST_F(ConnectionFault, what_no_request_carries_is_told_all_the_same) {
  meets("refuse-connect");
  Peer client(loop, accepted());
  client.hears_rst();
  ASSERT_EQ(proxy->connection_faults().size(), 1u);
  auto& met = proxy->connection_faults()[0];
  EXPECT_TRUE(met.fired);
  EXPECT_EQ(met.pid, 42);
  EXPECT_EQ(met.service, "127.0.0.1:8080");
  EXPECT_EQ(met.exchange, 0u);
}
TEST_F(ConnectionFault, the_next_handshake_goes_through) {
  meets("tls-cut");
  {
    auto cut = greets();
    until_over(*cut);
    EXPECT_FALSE(cut->through());
  }
  auto client = greets();
  until_over(*client);
  EXPECT_TRUE(client->through());
}

}  // namespace
}  // namespace retrial::test

// Where faults may reach, and where a forward proxy may lead. By 0.0.0.0 Linux connects to loopback, and it is neither
// loopback nor private: the outside world of these tests.
#include "tests/proxy/dns_server.h"
#include "tests/proxy/wires.h"
#include "tests/support/folder.h"
#include "tests/support/serving.h"
#include "trace/fault_name.h"

namespace retrial::test {
namespace {
using proxy::AllowList;
using proxy::ListenMode;

class Reach : public Serving {
 protected:
  static std::shared_ptr<const AllowList> list(const std::vector<std::string>& entries) {
    return std::make_shared<const AllowList>(*AllowList::read(entries));
  }
  proxy::ListenerOptions outside() {
    proxy::ListenerOptions options;
    options.route = {.host = "0.0.0.0", .port = listener.port()};
    return options;
  }
  std::unique_ptr<Peer> comes_to(proxy::ListenerOptions options) {
    return enter(std::make_shared<proxy::ListenerOptions>(std::move(options)));
  }
  void plan_503(std::uint64_t n) {
    trace::FaultSpec fault;
    fault.name = trace::FaultName::error;
    fault.status = 503;
    director.plan(n, fault, {.status = 503, .reason = "", .headers = {}, .body = "no"});
  }
  void passes(Peer& client, Peer& service) {
    service.hears(kPassed);
    service.say(kAnswer);
    client.hears(kAnswered);
  }
  void is_told_503(Peer& client) { client.hears("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 2\r\n\r\nno"); }
  void meets_refusal() {
    trace::FaultSpec fault;
    fault.name = trace::FaultName::refuse_connect;
    director.connections.push_back(fault);
  }
  std::string url(std::string_view host) { return fmt::format("http://{}:{}/a", host, listener.port()); }
  // A forward proxy's client asks for the listener under this name.
  std::unique_ptr<Peer> asks(std::string_view host, std::shared_ptr<const AllowList> to) {
    auto client = comes_to({.mode = ListenMode::forward, .to = std::move(to)});
    client->say(fmt::format("GET {} HTTP/1.1\r\nHost: x\r\n\r\n", url(host)));
    return client;
  }
  void is_led(std::string_view host, std::shared_ptr<const AllowList> to) {
    auto client = asks(host, std::move(to));
    auto service = listener.accepts();
    EXPECT_TRUE(service->hears_some(9).starts_with("GET /a")) << host;
  }
  void is_barred(std::string_view host, std::shared_ptr<const AllowList> to) {
    auto before = proxy->counts().refused;
    auto client = asks(host, std::move(to));
    EXPECT_EQ(client->hears_some(12), "HTTP/1.1 403") << host;
    listener.accepts_nobody();
    EXPECT_EQ(proxy->counts().refused, before + 1);
    EXPECT_EQ(recorder.exchanges.back().client_status, 403);
    EXPECT_EQ(recorder.exchanges.back().service_status, 0);
  }
};

TEST_F(Reach, a_service_that_is_neither_loopback_nor_private_is_passed_untouched_and_its_fault_is_spared) {
  plan_503(1);
  auto client = comes_to(outside());
  client->say(kAsked);
  passes(*client, *listener.accepts());
  EXPECT_FALSE(exchange().fired);
  EXPECT_EQ(exchange().evidence, "not fired: 0.0.0.0 is neither loopback nor private, and not allowed");
}
TEST_F(Reach, faults_of_connections_are_spared_alike) {
  for (auto mode : {ListenMode::reverse, ListenMode::transparent, ListenMode::forward}) {
    meets_refusal();
    auto options = outside();
    options.mode = mode;
    auto client =
        enter(std::make_shared<proxy::ListenerOptions>(options), proxy::Address::v4(INADDR_ANY, listener.port()));
    client->say(mode == ListenMode::forward ? fmt::format("GET {} HTTP/1.1\r\nHost: x\r\n\r\n", url("0.0.0.0"))
                                            : std::string(kAsked));
    auto service = listener.accepts();
    service->hears_some(6);
    ASSERT_EQ(proxy->connection_faults().size(), 1u);
    EXPECT_FALSE(proxy->connection_faults()[0].fired);
    EXPECT_EQ(proxy->connection_faults()[0].evidence, "0.0.0.0 is neither loopback nor private, and not allowed");
    serve({});
  }
}
TEST_F(Reach, is_widened_for_a_service_and_for_places) {
  plan_503(1);
  auto options = outside();
  options.route.allow = true;
  auto client = comes_to(options);
  client->say(kAsked);
  is_told_503(*client);
  serve({.faults_also = list({"0.0.0.0"})});
  plan_503(2);
  client = comes_to(outside());
  client->say(kAsked);
  is_told_503(*client);
  listener.accepts_nobody();
}
TEST_F(Reach, a_service_with_a_name_is_looked_up_before_anything_is_decided_of_it) {
  plan_503(1);
  auto options = outside();
  options.route.host = "localhost";
  auto client = comes_to(options);
  client->say(kAsked);
  is_told_503(*client);
  plan_503(2);
  auto forward = comes_to({.mode = ListenMode::forward});
  forward->say(fmt::format("GET {} HTTP/1.1\r\nHost: x\r\n\r\n", url("localhost")));
  forward->finish();
  EXPECT_EQ(forward->hears_some(12), "HTTP/1.1 503");
}
TEST_F(Reach, a_forward_proxy_leads_where_it_is_allowed_to_whatever_that_is_called) {
  auto loopback = list({"127.0.0.0/8", "::1"});
  for (auto* host : {"127.0.0.1", "localhost", "a.localhost", "[::ffff:127.0.0.1]"}) is_led(host, loopback);
  is_led("localhost", list({"localhost"}));
  is_led("a.localhost", list({"*.localhost"}));
  is_led("0.0.0.0", list({"0.0.0.0"}));
  is_led("127.0.0.1", list({"*"}));
}
TEST_F(Reach, a_forward_proxy_leads_nowhere_else) {
  auto loopback = list({"127.0.0.0/8", "::1"});
  for (auto* host :
       {"0.0.0.0", "[::ffff:0.0.0.0]", "10.0.0.9", "192.0.2.7", "[fe80::1]", "169.254.169.254", "[fd00:ec2::254]"})
    is_barred(host, loopback);
  for (auto* host : {"169.254.169.254", "[::ffff:169.254.169.254]", "[fd00:ec2::254]", "0.0.0.0"})
    is_barred(host, list({"*"}));
  is_barred("localhost", list({"api.example", "10.0.0.0/8"}));
  is_barred("127.0.0.1", list({fmt::format("127.0.0.1:{}", listener.port() + 1)}));
}
TEST_F(Reach, a_forward_proxy_opens_no_tunnel_elsewhere) {
  for (auto* host : {"0.0.0.0", "169.254.169.254", "10.0.0.9"}) {
    auto client = comes_to({.mode = ListenMode::forward, .to = list({"127.0.0.0/8"})});
    client->say(fmt::format("CONNECT {0}:{1} HTTP/1.1\r\nHost: {0}:{1}\r\n\r\n", host, listener.port()));
    EXPECT_EQ(client->hears_some(12), "HTTP/1.1 403") << host;
    EXPECT_EQ(recorder.exchanges.back().client_status, 403);
  }
  listener.accepts_nobody();
}
TEST_F(Reach, a_request_with_a_body_that_may_not_go_there_is_read_to_its_end_and_goes_nowhere) {
  auto client = comes_to({.mode = ListenMode::forward, .to = list({"10.0.0.0/8"})});
  client->say(fmt::format("POST {} HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbo", url("localhost")));
  client->say("dy");
  EXPECT_EQ(client->hears_some(12), "HTTP/1.1 403");
  listener.accepts_nobody();
}
TEST_F(Reach, who_does_not_answer_in_time_is_answered_for) {
  Port full(proxy::Address::v4(INADDR_LOOPBACK, 0), 0);  // its queue holds one: no other SYN is answered
  int first = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(::connect(first, full.address.get(), full.address.size()), 0);
  for (bool own : {false, true}) {
    serve({.connect_timeout = own ? 3600 * kSecond : kMillisecond});
    proxy::ListenerOptions options{.route = {.host = "127.0.0.1", .port = full.address.port()}};
    if (own) options.route.connect_timeout = kMillisecond;
    auto client = comes_to(options);
    client->say(kAsked);
    auto head = client->hears_some(12);
    EXPECT_EQ(head, "HTTP/1.1 504");
    quiet();
    EXPECT_NE(client->take().find("could not be reached: connect: no answer within 1 ms"), std::string::npos);
    EXPECT_EQ(recorder.exchanges.back().client_status, 504);
    EXPECT_EQ(recorder.exchanges.back().service_status, 0);
    client.reset();
  }
  ::close(first);
}

TEST_F(Reach, who_is_not_found_in_time_is_answered_for) {
  DnsServer names(loop);
  names.hold(DnsServer::A);
  names.hold(DnsServer::AAAA);
  for (bool decides : {true, false})
    for (bool own : {true, false}) {
      director.decides = decides;
      proxy::Options options;
      options.names.servers = names.address;
      options.resolve_timeout = own ? 3600 * kSecond : kMillisecond;
      serve(options);
      proxy::ListenerOptions to{.route = {.host = "slow.test", .port = 80}};
      if (own) to.route.resolve_timeout = kMillisecond;
      auto client = comes_to(to);
      client->say(kAsked);
      EXPECT_EQ(client->hears_some(12), "HTTP/1.1 504");
      quiet();
      EXPECT_NE(client->take().find("could not be reached: name resolution: no answer within 1 ms"), std::string::npos);
      EXPECT_EQ(recorder.exchanges.back().client_status, 504);
    }
}
TEST_F(Reach, a_name_that_the_hosts_file_leads_elsewhere_is_followed_at_once) {
  Folder folder;
  Port other(proxy::Address::v4(INADDR_LOOPBACK + 1, listener.port()));
  fcntl(other.fd, F_SETFL, O_NONBLOCK);
  proxy::Options options;
  options.names.hosts = folder.write("hosts", "127.0.0.1 queue.test rebound.test\n");
  serve(options);
  auto to = outside();
  to.route.host = "queue.test";
  auto client = comes_to(to);
  client->say(kAsked);
  auto service = listener.accepts();
  passes(*client, *service);
  is_barred("queue.test", list({"127.0.0.2"}));
  folder.write("hosts", "127.0.0.2 queue.test # another\n");
  time.advance(10 * kMillisecond);
  client->say(kAsked);
  int there = -1;
  run_until([&] { return (there = other.accept()) >= 0; });
  Peer second(loop, there);
  passes(*client, second);
  service->hears_fin();
  plan_503(4);
  folder.write("hosts", "0.0.0.0 queue.test # the outside world\n");
  time.advance(10 * kMillisecond);
  auto late = comes_to(to);
  late->say(kAsked);
  passes(*late, *listener.accepts());
}
TEST_F(Reach, a_name_that_leads_to_what_is_not_allowed_is_no_way_there) {
  Folder folder;
  proxy::Options options;
  options.names.hosts =
      folder.write("hosts", "169.254.169.254 a.test\n0.0.0.0 b.test\n127.0.0.1 c.test\n10.0.0.9 c.test\n");
  serve(options);
  for (auto* host : {"a.test", "b.test", "c.test"}) is_barred(host, list({"127.0.0.0/8"}));
  for (auto* host : {"a.test", "b.test"}) is_barred(host, list({"*", "*.test"}));
}

// Where nothing is to be decided of connections, no name is looked up before it is dialled.
TEST_F(Reach, a_connect_that_comes_to_nothing_is_recorded_as_a_request_is) {
  Folder folder;
  Port full(proxy::Address::v4(INADDR_LOOPBACK, 0), 0);  // its queue holds one: no other SYN is answered
  int first = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(::connect(first, full.address.get(), full.address.size()), 0);
  auto nobody = Listener(loop).port();
  proxy::Options options;
  options.connect_timeout = 20 * kMillisecond;
  options.names.hosts = folder.write("hosts", "0.0.0.0 elsewhere.test\n127.0.0.1 here.test\n");
  struct {
    std::string_view host;
    std::uint16_t port;
    int status;
    std::string_view why;
  } cases[] = {{"elsewhere.test", listener.port(), 403, "0.0.0.0 is none of the places"},
               {"here.test", nobody, 502, "connect: Connection refused"},
               {"here.test", full.address.port(), 504, "connect: no answer within 20 ms"}};
  for (bool decides : {true, false}) {
    director.decides = decides;
    for (auto& [host, port, status, why] : cases) {
      SCOPED_TRACE(fmt::format("{} {}", status, decides));
      serve(options);
      recorder.exchanges.clear();
      auto client = comes_to({.mode = ListenMode::forward, .to = list({"127.0.0.0/8"})});
      client->say(fmt::format("CONNECT {0}:{1} HTTP/1.1\r\nHost: {0}:{1}\r\nX: 1\r\n\r\n", host, port));
      EXPECT_EQ(client->hears_some(12), fmt::format("HTTP/1.1 {}", status));
      auto& e = exchange();
      EXPECT_EQ(e.method, "CONNECT");
      EXPECT_EQ(e.target, fmt::format("{}:{}", host, port));
      EXPECT_EQ(e.service, e.target);
      EXPECT_EQ(e.request_lines, fmt::format("Host: {}\r\nX: 1\r\n", e.target));
      EXPECT_EQ(e.client_status, status);
      EXPECT_EQ(e.service_status, 0);
      EXPECT_EQ(e.ending, trace::Ending::answered);
      EXPECT_GE(e.told, e.begun);
      EXPECT_TRUE(e.fresh);
      if (status != 403 || !decides) {
        EXPECT_NE(e.evidence.find(why), std::string::npos) << e.evidence;
      }
      EXPECT_EQ(proxy->counts().refused + proxy->counts().unreachable, 1u);
    }
  }
  ::close(first);
}

}  // namespace
}  // namespace retrial::test

// TLS towards services of a proxy that stays: by which name, and by what is said of each service.
#include "tests/proxy/tls_ends.h"
#include "tests/support/folder.h"
#include "tests/support/h2_end.h"
#include "tests/support/serving.h"

namespace retrial::test {
namespace {
using proxy::ListenMode;

// A service and clients that are nothing but OpenSSL. Clients trust us, and we the authority of services where a
// service's settings say so.
class ServeTls : public Serving {
 protected:
  ServeTls() : at_client(TLS_client_method()), at_service(TLS_server_method()) {
    fcntl(port.fd, F_SETFL, O_NONBLOCK);
    SSL_CTX_set_verify(at_client, SSL_VERIFY_PEER, nullptr);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(at_client), ours.authority().credential().certificate.get());
    shows("api.example");
    others = std::move(*proxy::TlsToService::make({}));
    known = std::move(*proxy::TlsToService::make(
        {.ca = folder.write("ca.pem", services.authority().pem()), .pins = {}, .certificate = {}, .key = {}}));
    serve({});
  }
  void serve(proxy::Options options) {
    options.to_clients = &to_clients;
    options.to_services = others.get();
    Serving::serve(std::move(options));
  }
  void shows(std::string_view name) {
    leaf = *services.leaf(name);
    SSL_CTX_use_cert_and_key(at_service, leaf.certificate.get(), leaf.key.get(), nullptr, 1);
  }
  // What the configuration says of the service: it is called so, and verified by its own authority.
  proxy::Route service_at(std::string host, std::string server_name = {}) {
    return {.host = std::move(host),
            .port = port.address.port(),
            .tls = true,
            .server_name = std::move(server_name),
            .security = known.get()};
  }
  int comes(proxy::ListenerOptions options) {
    auto [in, client] = tcp_pair();
    proxy->take({.client = in,
                 .listener = std::make_shared<proxy::ListenerOptions>(std::move(options)),
                 .original = port.address});
    return client;
  }
  // A request over TLS for `name`, answered by the service: "ok", or how it failed.
  std::string asked(int fd, const char* name) {
    RawTls client(at_client), service(at_service, true);
    client.fd = fd;
    SSL_set_tlsext_host_name(client.ssl, name);
    SSL_set1_host(client.ssl, name);
    client.say("GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    run_until([&] {
      if (service.fd < 0) service.fd = port.accept();
      client.step();
      service.step();
      if (service.heard.ends_with("\r\n\r\n")) {
        if (auto* sni = SSL_get_servername(service.ssl, TLSEXT_NAMETYPE_host_name)) asked_for = sni;
        service.heard.clear();
        service.say(kAnswer);
      }
      return client.heard.ends_with("ok") || client.failed || client.fin || client.rst;
    });
    return client.heard.ends_with("ok") ? "ok" : client.failure;
  }
  // A CONNECT to the service under this name.
  int inside(proxy::ListenerOptions options, std::string_view host) {
    options.mode = ListenMode::forward;
    options.protocol = proxy::Protocol::automatic;
    int fd = comes(std::move(options));
    auto connect = fmt::format("CONNECT {0}:{1} HTTP/1.1\r\nHost: {0}:{1}\r\n\r\n", host, port.address.port());
    EXPECT_EQ(::send(fd, connect.data(), connect.size(), 0), static_cast<ssize_t>(connect.size()));
    constexpr std::string_view kMade = "HTTP/1.1 200 Connection established\r\n\r\n";
    char room[kMade.size()];
    run_until([&] { return ::recv(fd, room, sizeof room, MSG_DONTWAIT | MSG_PEEK) == sizeof room; });
    EXPECT_EQ(std::string_view(room, static_cast<std::size_t>(::recv(fd, room, sizeof room, 0))), kMade);
    return fd;
  }

  Folder folder;
  certs::LeafStore ours{new_authority(), clock}, services{new_authority(), clock};
  proxy::TlsToClients to_clients{ours};
  std::unique_ptr<proxy::TlsToService> others, known;
  Context at_client, at_service;
  certs::Credential leaf;
  Port port;
  std::string asked_for;  // the name that the service was asked for last
};

TEST_F(ServeTls, a_service_is_verified_by_its_own_name_whatever_name_its_clients_have_for_the_proxy) {
  shows("proxy.internal");
  EXPECT_NE(asked(comes({.route = service_at("localhost")}), "proxy.internal"), "ok");
  shows("localhost");
  EXPECT_EQ(asked(comes({.route = service_at("localhost")}), "proxy.internal"), "ok");
  EXPECT_EQ(asked_for, "localhost");
}
TEST_F(ServeTls, a_service_that_is_called_otherwise_in_TLS_than_where_it_is_is_verified_by_that) {
  EXPECT_EQ(asked(comes({.route = service_at("127.0.0.1", "api.example")}), "proxy.internal"), "ok");
  EXPECT_EQ(asked_for, "api.example");
  EXPECT_NE(asked(comes({.route = service_at("127.0.0.1")}), "api.example"), "ok");
}
TEST_F(ServeTls, what_is_said_of_a_service_holds_where_connections_are_redirected) {
  EXPECT_NE(asked(comes({.mode = ListenMode::transparent}), "api.example"), "ok") << "nobody knows its authority";
  EXPECT_EQ(asked(comes({.mode = ListenMode::transparent, .known = {service_at("127.0.0.1")}}), "api.example"), "ok");
  EXPECT_EQ(asked_for, "api.example");
  EXPECT_EQ(asked(comes({.mode = ListenMode::transparent, .known = {service_at("api.example")}}), "api.example"), "ok")
      << "known by the name that its clients ask for";
  EXPECT_NE(asked(comes({.mode = ListenMode::transparent, .known = {service_at("other.example")}}), "api.example"),
            "ok");
}
TEST_F(ServeTls, what_is_said_of_a_service_holds_inside_connect) {
  EXPECT_NE(asked(inside({}, "localhost"), "api.example"), "ok");
  for (auto* host : {"localhost", "127.0.0.1", "LOCALHOST"})
    EXPECT_EQ(asked(inside({.known = {service_at("127.0.0.1")}}, host), "api.example"), "ok") << host;
}
TEST_F(ServeTls, what_is_said_of_a_service_holds_for_a_forward_proxy_that_is_asked_for_an_https_url) {
  proxy::ListenerOptions forward{.mode = ListenMode::forward, .known = {service_at("127.0.0.1", "api.example")}};
  Peer client(loop, comes(forward));
  client.say(fmt::format("GET https://localhost:{}/a HTTP/1.1\r\nHost: x\r\n\r\n", port.address.port()));
  RawTls service(at_service, true);
  run_until([&] {
    if (service.fd < 0) service.fd = port.accept();
    service.step();
    return service.heard.ends_with("\r\n\r\n");
  });
  service.say(kAnswer);
  service.step();
  client.hears(kAnswered);
}
// Each of a client's requests may go over another connection of the pool.
TEST_F(ServeTls, a_redirected_client_of_TLS_has_all_of_its_requests_sent_by_TLS) {
  for (bool connect : {false, true}) {
    RawTls client(at_client);
    proxy::ListenerOptions listener{.mode = ListenMode::transparent, .known = {service_at("127.0.0.1")}};
    client.fd = connect ? inside(listener, "127.0.0.1") : comes(listener);
    SSL_set_tlsext_host_name(client.ssl, "api.example");
    for (int i = 0; i < 2; i++) {
      RawTls service(at_service, true);
      client.heard.clear();
      client.say(kAsked);
      run_until([&] {
        if (service.fd < 0) service.fd = port.accept();
        client.step();
        service.step();
        if (service.heard.ends_with("\r\n\r\n")) {
          service.heard.clear();
          service.say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
        }
        return client.heard.ends_with("ok") || client.failed || client.fin || client.rst;
      });
      EXPECT_TRUE(client.heard.ends_with("ok")) << i << client.heard;
      EXPECT_STREQ(SSL_get_servername(service.ssl, TLSEXT_NAMETYPE_host_name), "api.example");
    }
  }
}

// The service accepts, and says nothing of its handshake.
class SilentTls : public ServeTls {
 protected:
  SilentTls() { serve({.connect_timeout = 20 * kMillisecond}); }
  proxy::ListenerOptions forward() {
    return {.mode = ListenMode::forward, .known = {service_at("127.0.0.1", "api.example")}};
  }
  void is_answered_504(Peer& client) {
    EXPECT_EQ(client.hears_some(12), "HTTP/1.1 504");
    quiet();
    constexpr auto kSaid = "could not be reached: TLS handshake: no answer within 20 ms";
    EXPECT_NE(client.take().find(kSaid), std::string::npos);
    auto& e = exchange();
    EXPECT_EQ(e.client_status, 504);
    EXPECT_EQ(e.service_status, 0);
    EXPECT_NE(e.evidence.find(kSaid), std::string::npos) << e.evidence;
    EXPECT_EQ(proxy->counts().unreachable, 1u);
  }
  // In the middle of its own handshake nothing of HTTP can be said to a client.
  void hears_the_alert(int fd) {
    RawTls client(at_client);
    client.fd = fd;
    SSL_set_tlsext_host_name(client.ssl, "api.example");
    auto began = SystemClock().now();
    run_until([&] { return client.step(), client.failed || client.fin || client.rst; });
    EXPECT_NE(client.failure.find("handshake failure"), std::string::npos) << client.failure;
    EXPECT_LT(SystemClock().now() - began, 5 * kSecond);
    quiet();
    EXPECT_EQ(proxy->counts().unreachable, 1u);
    EXPECT_EQ(proxy->connections(), 0u);
  }
};

TEST_F(SilentTls, is_answered_for_before_clients_in_clear_text) {
  Peer client(loop, comes({.route = service_at("127.0.0.1", "api.example")}));
  client.say(kAsked);
  is_answered_504(client);
}
TEST_F(SilentTls, is_answered_for_in_a_time_of_its_own) {
  serve({.connect_timeout = 3600 * kSecond});
  auto route = service_at("127.0.0.1", "api.example");
  route.connect_timeout = 20 * kMillisecond;
  Peer client(loop, comes({.route = route}));
  client.say(kAsked);
  is_answered_504(client);
}
TEST_F(SilentTls, is_answered_for_before_clients_of_a_forward_proxy) {
  Peer client(loop, comes(forward()));
  client.say(fmt::format("GET https://127.0.0.1:{}/a HTTP/1.1\r\nHost: x\r\n\r\n", port.address.port()));
  is_answered_504(client);
}
TEST_F(SilentTls, is_answered_for_before_clients_of_http2) {
  for (bool only : {false, true}) {
    auto route = service_at("127.0.0.1", "api.example");
    route.http2 = only;
    H2End client(std::make_unique<Peer>(loop, comes({.route = route})), H2End::Role::client);
    client.greets();
    client.hears_greeting();
    client.say(asks(1));
    EXPECT_TRUE(client.next().starts_with("HEADERS 1 | :status: 504"));
    EXPECT_EQ(exchange(only ? 2 : 1).client_status, 504);
  }
}
TEST_F(SilentTls, is_answered_for_where_it_is_asked_in_http2_alone) {
  auto route = service_at("127.0.0.1", "api.example");
  route.http2 = true;
  Peer client(loop, comes({.route = route}));
  client.say(kAsked);
  is_answered_504(client);
}
TEST_F(SilentTls, is_told_to_clients_of_TLS_by_an_alert) { hears_the_alert(comes({.route = service_at("127.0.0.1")})); }
TEST_F(SilentTls, is_told_to_redirected_clients_by_an_alert) {
  hears_the_alert(comes({.mode = ListenMode::transparent}));
}
TEST_F(SilentTls, is_told_inside_connect_by_an_alert) { hears_the_alert(inside(forward(), "127.0.0.1")); }
TEST_F(SilentTls, that_a_client_does_not_wait_for_is_forgotten) {
  serve({.connect_timeout = 3600 * kSecond});
  for (bool h2 : {false, true}) {
    auto route = service_at("127.0.0.1");
    route.http2 = h2;
    Peer client(loop, comes({.route = route}));
    client.say(kAsked);
    int service = -1;
    run_until([&] { return (service = port.accept()) >= 0; });
    client.reset();
    Peer there(loop, service);
    run_until([&] { return there.has_ended(); });
    EXPECT_EQ(proxy->connections(), 0u);
  }
}

// A response that ends with its connection, and a service that ends that without close_notify.
class CutTls : public ServeTls {
 protected:
  static constexpr std::string_view kSome = "HTTP/1.0 200 OK\r\n\r\nsome";
  // The service answers what was asked, and ends its connection.
  template <class So>
  void answers(bool notifies, So so) {
    RawTls service(at_service, true);
    run_until([&] {
      if (service.fd < 0) service.fd = port.accept();
      service.step();
      if (!service.heard.ends_with("\r\n\r\n")) return so();
      service.heard.clear();
      service.say(kSome);
      service.step();
      if (notifies) SSL_shutdown(service.ssl);
      service.send();
      ::shutdown(service.fd, SHUT_WR);
      return so();
    });
  }
  void is_incomplete(trace::Ending ending) {
    EXPECT_EQ(exchange().evidence,
              "the service closed its connection without close_notify: where its response ends cannot be told");
    EXPECT_EQ(exchange().ending, ending);
    EXPECT_EQ(exchange().service_status, 200);
  }
};

TEST_F(CutTls, a_client_in_clear_text_hears_a_reset_and_never_takes_it_for_whole) {
  for (bool notifies : {false, true}) {
    Peer client(loop, comes({.route = service_at("127.0.0.1", "api.example")}));
    client.say(kAsked);
    answers(notifies, [&] { return client.has_ended(); });
    constexpr std::string_view kHeard = "HTTP/1.1 200 OK\r\nConnection: close\r\nVia: 1.0 retrial\r\n\r\nsome";
    client.hears(kHeard);
    if (notifies) {
      client.hears_fin();
      EXPECT_EQ(exchange(2).ending, trace::Ending::answered);
    } else {
      client.hears_rst();
      is_incomplete(trace::Ending::reset);
    }
  }
}
TEST_F(CutTls, of_a_service_that_is_known_for_it_is_whole) {
  auto lax = std::move(*proxy::TlsToService::make({.verify = false, .close_notify = false}));
  auto route = service_at("127.0.0.1");
  route.security = lax.get();
  {
    Peer client(loop, comes({.route = route}));
    client.say(kAsked);
    answers(false, [&] { return client.has_ended(); });
    client.hears("HTTP/1.1 200 OK\r\nConnection: close\r\nVia: 1.0 retrial\r\n\r\nsome");
    client.hears_fin();
    EXPECT_EQ(exchange().ending, trace::Ending::answered);
    EXPECT_EQ(exchange().evidence, "");
  }
  proxy.reset();
}
TEST_F(CutTls, a_client_of_http2_is_told_by_RST_STREAM) {
  H2End client(std::make_unique<Peer>(loop, comes({.route = service_at("127.0.0.1", "api.example")})),
               H2End::Role::client);
  client.greets();
  client.say(asks(1));
  RawTls service(at_service, true);
  run_until([&] {
    if (service.fd < 0) service.fd = port.accept();
    service.step();
    return !service.heard.empty();
  });
  service.say("HTTP/1.1 400 Bad Request\r\n\r\n");  // HTTP/2 is not spoken there
  service.step();
  client.hears_greeting();
  std::string heard;
  answers(false, [&] { return (heard += client.next_if_any()).find("RST_STREAM") != heard.npos; });
  EXPECT_TRUE(heard.ends_with("RST_STREAM 1 INTERNAL_ERROR")) << heard;
  is_incomplete(trace::Ending::reset);
}
TEST_F(CutTls, a_client_of_TLS_judges_for_itself_as_it_hears_the_same) {
  for (bool notifies : {false, true}) {
    RawTls client(at_client);
    client.fd = comes({.route = service_at("127.0.0.1", "api.example")});
    SSL_set_tlsext_host_name(client.ssl, "api.example");
    client.say(kAsked);
    answers(notifies, [&] { return client.step(), client.fin || client.rst; });
    EXPECT_TRUE(client.heard.ends_with("some")) << client.heard;
    EXPECT_TRUE(client.fin);
    EXPECT_EQ(client.closed, notifies);
    if (!notifies) is_incomplete(trace::Ending::answered);
    EXPECT_EQ(exchange(notifies ? 2 : 1).ending, trace::Ending::answered);
  }
}

}  // namespace
}  // namespace retrial::test

// What a client is shown in place of a service's certificate, and what becomes of clients that do not trust us.
#include "proxy/connections/distrust.h"
#include "tests/proxy/h2_ends.h"
#include "tests/proxy/tls_ends.h"
#include "tests/support/conversation.h"
#include "tests/support/folder.h"

namespace retrial::test {
namespace {

using certs::Flaw;

constexpr std::string_view kGet = "GET /x HTTP/1.1\r\nHost: h\r\n\r\n";
constexpr std::string_view kDone = "HTTP/1.1 204 No Content\r\n\r\n";

// A captured connection between a client and a service that are nothing but OpenSSL. The client trusts us and the
// services' authority, as far as it looks.
class Mirror : public Conversation {
 protected:
  Mirror() : at_client(TLS_client_method()), at_service(TLS_server_method()) {
    SSL_CTX_set_verify(at_client, SSL_VERIFY_PEER, nullptr);
    trust(ours.authority());
    shows("api.example");
    begin(services.authority().pem());
  }
  ~Mirror() override { proxy.reset(); }
  // A proxy that knows these roots beside the system's.
  void begin(const std::string& roots) {
    proxy.reset();
    proxy::ServiceTlsSettings settings;
    settings.mirrors = true;
    settings.stand_ins = stand_ins.get();
    if (!roots.empty()) settings.also = {folder.write("roots.pem", roots)};
    to_services = std::move(*proxy::TlsToService::make(settings));
    options.to_clients = &to_clients;
    options.to_services = to_services.get();
    options.distrust = &distrust;
    start(options);
  }
  void trust(const certs::Authority& authority) {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(at_client), authority.credential().certificate.get());
  }
  void shows(std::string_view name, Flaw flaw = Flaw::none) {
    leaf = *services.leaf(name, flaw);
    SSL_CTX_use_cert_and_key(at_service, leaf.certificate.get(), leaf.key.get(), nullptr, 1);
  }
  struct Ends {
    std::unique_ptr<RawTls> client, service;
  };
  Ends greet(const char* name = "api.example", bool looks = true, std::uint16_t port = 8443) {
    auto [client, in] = tcp_pair();
    auto [out, service] = tcp_pair();
    proxy->take({in, out, proxy::Address::v4(INADDR_LOOPBACK, port), 42});
    Ends ends{std::make_unique<RawTls>(at_client), std::make_unique<RawTls>(at_service, true)};
    ends.client->fd = client;
    ends.service->fd = service;
    if (*name) SSL_set_tlsext_host_name(ends.client->ssl, name);
    if (*name) SSL_set1_host(ends.client->ssl, name);
    if (!looks) SSL_set_verify(ends.client->ssl, SSL_VERIFY_NONE, nullptr);
    return ends;
  }
  void until(Ends& ends, const std::function<bool()>& so) {
    run_until([&] {
      ends.client->step();
      ends.service->step();
      return so();
    });
  }
  // What the client thinks of the certificate it is shown.
  std::string verdict(Ends ends) {
    until(ends, [&] { return ends.client->through() || ends.client->failed; });
    bool through = ends.client->through();
    std::string says = X509_verify_cert_error_string(SSL_get_verify_result(ends.client->ssl));
    EXPECT_EQ(through, says == "ok");
    if (through) asks(ends);
    ends.client->step();
    quiet();
    return says;
  }
  void asks(Ends& ends) {
    ends.client->say(kGet);
    until(ends, [&] { return ends.service->heard == kGet; });
    ends.service->say(kDone);
    until(ends, [&] { return ends.client->heard == kDone; });
  }
  // Whether an exchange of it is recorded.
  bool opened(Ends ends) {
    auto before = recorder.exchanges.size();
    until(ends, [&] { return ends.client->through(); });
    shown.reset(SSL_get1_peer_certificate(ends.client->ssl));
    asks(ends);
    quiet();
    return recorder.exchanges.size() > before;
  }
  bool signed_by(const certs::LeafStore& store) {
    return X509_check_issued(store.authority().credential().certificate.get(), shown.get()) == X509_V_OK;
  }

  Folder folder;
  certs::LeafStore ours{new_authority(), clock}, strangers{new_authority(), clock}, services{new_authority(), clock};
  proxy::TlsToClients to_clients{ours, &strangers};
  std::unique_ptr<certs::StandIns> stand_ins =
      std::move(*certs::StandIns::make(ours.authority(), clock, folder.path() / "stand-ins"));
  std::unique_ptr<proxy::TlsToService> to_services;
  proxy::Distrust distrust;
  proxy::Options options;
  Context at_client, at_service;
  certs::Credential leaf;
  std::unique_ptr<X509, void (*)(X509*)> shown{nullptr, X509_free};
};

TEST_F(Mirror, a_service_that_verifies_is_shown_by_a_leaf_of_ours) {
  EXPECT_EQ(verdict(greet()), "ok");
  EXPECT_TRUE(opened(greet("api.example", false)));
  EXPECT_TRUE(signed_by(ours));
}

TEST_F(Mirror, an_expired_certificate_is_expired_in_ours_and_in_nothing_else_wrong) {
  shows("api.example", Flaw::expired);
  EXPECT_EQ(verdict(greet()), "certificate has expired");
  EXPECT_TRUE(opened(greet("api.example", false)));
  EXPECT_TRUE(signed_by(ours));
}

TEST_F(Mirror, a_certificate_for_other_names_is_shown_with_its_own_names) {
  shows("other.example");
  EXPECT_EQ(verdict(greet()), "hostname mismatch");
  EXPECT_TRUE(opened(greet("api.example", false)));
  EXPECT_TRUE(signed_by(ours));
  EXPECT_EQ(X509_check_host(shown.get(), "other.example", 0, 0, nullptr), 1);
}

TEST_F(Mirror, a_certificate_of_an_unknown_authority_is_shown_by_one_that_nobody_trusts) {
  begin("");
  EXPECT_TRUE(opened(greet("api.example", false)));
  EXPECT_TRUE(signed_by(strangers));
  EXPECT_EQ(X509_check_host(shown.get(), "api.example", 0, 0, nullptr), 1);
  EXPECT_EQ(verdict(greet()), "unable to get local issuer certificate");
}

TEST_F(Mirror, a_certificate_that_signs_itself_is_one_of_an_unknown_authority) {
  auto& own = services.authority().credential();
  begin("");
  SSL_CTX_use_cert_and_key(at_service, own.certificate.get(), own.key.get(), nullptr, 1);
  EXPECT_TRUE(opened(greet("api.example", false)));
  EXPECT_TRUE(signed_by(strangers));
}

TEST_F(Mirror, a_certificate_that_is_itself_among_the_roots_is_good) {
  std::unique_ptr<BIO, int (*)(BIO*)> pem(BIO_new(BIO_s_mem()), BIO_free);
  PEM_write_bio_X509(pem.get(), leaf.certificate.get());
  char* text = nullptr;
  auto size = BIO_get_mem_data(pem.get(), &text);
  begin({text, static_cast<std::size_t>(size)});
  EXPECT_EQ(verdict(greet()), "ok");
}

TEST_F(Mirror, a_service_with_TLS_keys_of_its_own_is_verified_by_them) {
  auto unverified = std::move(*proxy::TlsToService::make({.verify = false, .mirrors = true}));
  options.security_of["127.0.0.1:8444"] = unverified.get();
  begin("");
  EXPECT_EQ(verdict(greet("api.example", true, 8444)), "ok");
  EXPECT_EQ(verdict(greet()), "unable to get local issuer certificate");
  proxy.reset();
}

TEST_F(Mirror, a_client_that_sends_no_name_is_shown_the_names_of_the_services_certificate) {
  shows("localhost");
  EXPECT_TRUE(opened(greet("")));
  EXPECT_TRUE(signed_by(ours));
  EXPECT_EQ(X509_check_host(shown.get(), "localhost", 0, 0, nullptr), 1);
}

TEST_F(Mirror, a_certificate_that_does_not_verify_does_not_count_as_verified_when_its_session_is_resumed) {
  begin("");
  for (int i = 0; i < 3; i++) {
    EXPECT_TRUE(opened(greet("api.example", false)));
    EXPECT_TRUE(signed_by(strangers)) << i;
  }
}

TEST_F(Mirror, a_client_with_an_authority_in_its_own_code_is_passed_unopened_from_its_second_connection_on) {
  begin("");
  trust(services.authority());
  EXPECT_EQ(verdict(greet()), "unable to get local issuer certificate");
  EXPECT_FALSE(opened(greet()));
  EXPECT_EQ(X509_cmp(shown.get(), leaf.certificate.get()), 0);
  EXPECT_EQ(proxy->counts().distrusting, 1u);
  auto met = distrust.settle();
  EXPECT_TRUE(met.first);
  EXPECT_EQ(met.pairs, std::vector<std::string>{"127.0.0.1:8443, name api.example"});
  // Another client of another name is opened as before; the next run knows.
  EXPECT_TRUE(opened(greet("other.example", false)));
  begin("");
  EXPECT_FALSE(opened(greet()));
  EXPECT_FALSE(distrust.settle().first);
}

TEST_F(Mirror, a_reset_in_the_handshake_is_no_distrust_where_clients_were_seen_to_trust_us) {
  for (std::uint16_t port : {8443, 8444}) {
    bool trusts = port == 8443;
    begin(services.authority().pem());
    if (trusts) {
      EXPECT_TRUE(opened(greet()));
    }
    auto ends = greet("api.example", true, port);
    SSL_do_handshake(ends.client->ssl);
    ends.client->send();
    run_until([&] { return ends.service->step(), ::recv(ends.client->fd, nullptr, 0, MSG_PEEK | MSG_DONTWAIT) == 0; });
    abort_connection(std::exchange(ends.client->fd, -1));
    quiet();
    EXPECT_EQ(proxy->counts().distrusting, trusts ? 0u : 1u);
    trust(services.authority());
    EXPECT_EQ(opened(greet("api.example", true, port)), trusts);
  }
}

TEST_F(Mirror, a_service_that_listens_elsewhere_in_every_run_is_known_all_the_same) {
  begin("");
  trust(services.authority());
  EXPECT_EQ(verdict(greet("api.example", true, 40001)), "unable to get local issuer certificate");
  begin("");
  EXPECT_FALSE(opened(greet("api.example", true, 40002)));
}

TEST_F(Mirror, who_refuses_what_is_expired_does_as_without_us_and_is_opened_again) {
  shows("api.example", Flaw::expired);
  EXPECT_EQ(verdict(greet()), "certificate has expired");
  EXPECT_TRUE(opened(greet("api.example", false)));
  EXPECT_EQ(proxy->counts().distrusting, 0u);
  EXPECT_TRUE(distrust.settle().pairs.empty());
}

TEST_F(Mirror, a_service_whose_records_break_ends_its_clients_connection_and_all_streams_at_once) {
  using namespace proxy::h2_test;
  static constexpr unsigned char kH2[] = {2, 'h', '2'};
  for (bool h2 : {false, true}) {
    SCOPED_TRACE(h2);
    SSL_CTX_set_alpn_select_cb(
        at_service,
        [](SSL*, const unsigned char** out, unsigned char* size, const unsigned char*, unsigned, void*) {
          *out = kH2 + 1;
          *size = 2;
          return SSL_TLSEXT_ERR_OK;
        },
        nullptr);
    auto ends = greet();
    if (h2) SSL_set_alpn_protos(ends.client->ssl, kH2, sizeof kH2);
    until(ends, [&] { return ends.client->through(); });
    auto before = recorder.exchanges.size();
    ends.client->say(h2 ? client_hello() + headers(1, get()) + headers(3, get()) : std::string(kGet));
    if (h2) ends.service->say(service_hello());
    until(ends, [&] { return proxy->open_exchanges() == (h2 ? 2u : 1u); });
    until(ends, [&] { return !ends.service->heard.empty(); });
    ends.service->step();
    ::send(ends.service->fd, "\x17\x03\x03\0\x05hello", 10, MSG_NOSIGNAL);
    until(ends, [&] { return ends.client->rst || ends.client->fin; });
    EXPECT_EQ(proxy->connections(), 0u);
    EXPECT_EQ(recorder.exchanges.size(), before + (h2 ? 2 : 1));
    EXPECT_NE(recorder.exchanges.back().ending, trace::Ending::answered);
  }
}
// Half of the clients that there are take the end of a connection for the end of its response, and half do not.
TEST_F(Mirror, how_a_service_ends_its_connection_is_how_the_clients_ends) {
  for (std::string_view said : {"HTTP/1.0 200 OK\r\n\r\nsome", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nsome"})
    for (bool notifies : {false, true}) {
      auto ends = greet();
      until(ends, [&] { return ends.client->through(); });
      ends.client->say(kGet);
      until(ends, [&] { return ends.service->heard == kGet; });
      ends.service->say(said);
      ends.service->step();
      if (notifies) SSL_shutdown(ends.service->ssl);
      ends.service->send();
      ::shutdown(ends.service->fd, SHUT_WR);
      until(ends, [&] { return ends.client->fin || ends.client->rst; });
      EXPECT_EQ(ends.client->heard, said);
      EXPECT_TRUE(ends.client->fin);
      EXPECT_EQ(ends.client->closed, notifies);
      quiet();
      EXPECT_EQ(recorder.exchanges.back().ending, trace::Ending::answered);
    }
}
TEST_F(Mirror, a_client_that_looks_after_the_handshake_and_leaves_is_known_when_the_run_is_over) {
  for (bool hard : {false, true}) {
    auto name = hard ? "hard.example" : "soft.example";
    auto ends = greet(name, false);
    until(ends, [&] { return ends.client->through() && ends.service->through(); });
    quiet();
    ends.client->step();
    auto fd = std::exchange(ends.client->fd, -1);
    hard ? abort_connection(fd) : void(::close(fd));
    quiet();
    EXPECT_EQ(distrust.settle().pairs, std::vector{proxy::Distrust::pair("127.0.0.1:8443", name)});
    EXPECT_FALSE(opened(greet(name, false)));
    distrust.settle();
  }
}

TEST_F(Mirror, a_probe_that_leaves_after_the_handshake_says_nothing_where_requests_follow) {
  auto probe = [&] {
    auto ends = greet("api.example", false);
    until(ends, [&] { return ends.client->through() && ends.service->through(); });
    ends.client->step();
    quiet();
    ::close(std::exchange(ends.client->fd, -1));
    quiet();
  };
  probe();
  EXPECT_TRUE(opened(greet()));
  probe();
  EXPECT_TRUE(distrust.settle().pairs.empty());
  EXPECT_TRUE(opened(greet()));
}

TEST_F(Mirror, a_root_that_a_program_names_has_a_stand_in_that_only_those_trust_who_trust_the_root) {
  begin("");
  folder.write("stand-ins/00.pem", services.authority().pem());
  EXPECT_EQ(verdict(greet("refused.example")), "unable to get local issuer certificate") << "it trusts us alone";
  stand_ins->roots();
  trust(stand_ins->standing_for(*services.authority().credential().certificate)->authority());
  EXPECT_EQ(verdict(greet("api.example")), "ok");
  shows("again.example");
  for (int n = 0; n < 2; n++)
    EXPECT_EQ(verdict(greet("again.example")), "ok") << "a session that goes on is none of ours";
  shows("other.example");
  EXPECT_EQ(verdict(greet("wrong.example")), "hostname mismatch");
}

TEST_F(Mirror, a_client_that_judges_is_right_to_refuse_where_another_goes_on_in_the_same_run) {
  distrust.judges = [](int pid) { return pid == 42; };
  begin("");
  EXPECT_NE(verdict(greet()), "ok");
  EXPECT_TRUE(opened(greet("api.example", false)));
  EXPECT_TRUE(distrust.settle().pairs.empty());
  EXPECT_NE(verdict(greet("alone.example")), "ok");
  EXPECT_EQ(distrust.settle().pairs, std::vector{proxy::Distrust::pair("127.0.0.1:8443", "alone.example")});
}

}  // namespace
}  // namespace retrial::test

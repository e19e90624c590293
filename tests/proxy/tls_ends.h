#pragma once
#include <openssl/pem.h>

#include <fstream>

#include "certs/leaf_store.h"
#include "proxy/net/tls.h"
#include "tests/proxy/raw_tls.h"

namespace retrial::test {

using proxy::Loop;
using proxy::Socket;
using Got = Socket::Got;

inline certs::Authority new_authority() { return *certs::Authority::make(SystemClock()); }

// A Socket of ours with TLS towards a client that is nothing but OpenSSL.
class TlsToClientsTest : public ::testing::Test {
 protected:
  explicit TlsToClientsTest() : context(TLS_client_method()) {
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    trust(leaves.authority());
  }
  void trust(const certs::Authority& authority) {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority.credential().certificate.get());
  }
  struct Line {
    std::unique_ptr<Reader> reader;
    std::unique_ptr<Socket> ours;
    std::unique_ptr<RawTls> client;
  };
  Line connect(const char* name = "api.example", std::string_view alpn = "", certs::Flaw flaw = certs::Flaw::none,
               SSL_SESSION* session = nullptr) {
    auto line = plain(name, session);
    line.ours->secure(*ends.accept(name, alpn, flaw));
    return line;
  }
  Line plain(const char* name, SSL_SESSION* session = nullptr) {
    auto [ours, theirs] = tcp_pair();
    Line line{std::make_unique<Reader>(), nullptr, std::make_unique<RawTls>(context)};
    line.ours = std::make_unique<Socket>(loop, ours, *line.reader);
    line.client->fd = theirs;
    SSL_set_tlsext_host_name(line.client->ssl, name);
    SSL_set1_host(line.client->ssl, name);
    if (session) SSL_set_session(line.client->ssl, session);
    return line;
  }
  bool until(Line& line, const std::function<bool()>& so) {
    return run_until(loop, [&] {
      line.client->step();
      return so();
    });
  }
  bool shake(Line& line) {
    return until(line, [&] { return line.client->through() && line.ours->ready_to_send(); });
  }
  // A few rounds without waiting bring everything on loopback to rest.
  void rest(Line& line) {
    for (int i = 0; i < 10; i++) {
      line.client->step();
      loop.round(false);
    }
  }

  Loop loop;
  SystemClock clock;
  certs::LeafStore leaves{new_authority(), clock};
  proxy::TlsToClients ends{leaves};
  Context context;
};

}  // namespace retrial::test

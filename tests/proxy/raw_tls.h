#pragma once
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <filesystem>
#include <memory>
#include <string>

#include "tests/proxy/wires.h"

namespace retrial::test {

// A TLS peer that is nothing but OpenSSL on memory: a test carries its records, in pieces as it likes.
class RawTls {
 public:
  explicit RawTls(SSL_CTX* context, bool server = false) : ssl(SSL_new(context)) {
    SSL_set_bio(ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    BIO_set_mem_eof_return(SSL_get_rbio(ssl), -1);
    server ? SSL_set_accept_state(ssl) : SSL_set_connect_state(ssl);
  }
  ~RawTls() {
    SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    SSL_free(ssl);
    if (fd >= 0) ::close(fd);
    ERR_clear_error();
  }
  RawTls(const RawTls&) = delete;

  // One step: what came is taken in, what OpenSSL has to say goes out in pieces of at most `piece`.
  void step() {
    char room[65536];
    for (ssize_t n = 0; fd >= 0 && (n = ::recv(fd, room, sizeof room, MSG_DONTWAIT)) >= 0;) {
      if (n == 0) {
        fin = true;
        break;
      }
      BIO_write(SSL_get_rbio(ssl), room, static_cast<int>(n));
    }
    if (fd >= 0 && errno == ECONNRESET) rst = true;
    if (!SSL_is_init_finished(ssl) && !failed && SSL_do_handshake(ssl) <= 0) {
      auto error = ERR_peek_last_error();
      if (error) failure = ERR_reason_error_string(error) ? ERR_reason_error_string(error) : "?";
      failed = error != 0;
      ERR_clear_error();
    }
    if (SSL_is_init_finished(ssl)) {
      while (!to_say.empty()) {
        auto n = SSL_write(ssl, to_say.data(), static_cast<int>(std::min<std::size_t>(to_say.size(), 16384)));
        if (n <= 0) break;
        to_say.erase(0, static_cast<std::size_t>(n));
      }
      for (int n; reads && (n = SSL_read(ssl, room, sizeof room)) > 0;) heard.append(room, static_cast<std::size_t>(n));
      if (ERR_peek_error()) {
        failure = ERR_reason_error_string(ERR_peek_last_error());
        ERR_clear_error();
      }
      closed = SSL_get_shutdown(ssl) & SSL_RECEIVED_SHUTDOWN;
    }
    send();
  }
  void send() {
    char* data = nullptr;
    auto size = BIO_get_mem_data(SSL_get_wbio(ssl), &data);
    out.append(data, static_cast<std::size_t>(size));
    (void)BIO_reset(SSL_get_wbio(ssl));
    if (fd < 0 || out.empty()) return;
    auto n = ::send(fd, out.data(), std::min(piece, out.size()), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) out.erase(0, static_cast<std::size_t>(n));
  }
  void say(std::string_view text) { to_say += text; }
  bool through() const { return SSL_is_init_finished(ssl); }
  bool resumed() const { return SSL_session_reused(ssl); }
  std::string alpn() const {
    const unsigned char* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(ssl, &name, &size);
    return {reinterpret_cast<const char*>(name), size};
  }

  SSL* ssl;
  int fd = -1;  // owned
  std::size_t piece = 1 << 20;
  std::string out, to_say, heard, failure;
  bool failed = false, closed = false, fin = false, rst = false;
  bool reads = true;
};

struct Context {
  explicit Context(const SSL_METHOD* method) : context(SSL_CTX_new(method)) {}
  ~Context() { SSL_CTX_free(context); }
  Context(const Context&) = delete;
  operator SSL_CTX*() const { return context; }
  SSL_CTX* context;
};

}  // namespace retrial::test

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "proxy/net/tls.h"
#include "proxy/net/tls_context.h"

namespace retrial::proxy {
namespace {

// Without a list of its own a client is told nothing; one that does not hold `alpn` is none of ours to judge.
int choose_alpn(SSL*, const unsigned char** chosen, unsigned char* size, const unsigned char* offered, unsigned length,
                std::string_view alpn) {
  for (unsigned at = 0; at + 1 <= length; at += 1u + offered[at]) {
    std::string_view name(reinterpret_cast<const char*>(offered + at + 1), offered[at]);
    if (alpn.empty() || name != alpn) continue;
    *chosen = offered + at + 1;
    *size = offered[at];
    return SSL_TLSEXT_ERR_OK;
  }
  return SSL_TLSEXT_ERR_NOACK;
}

}  // namespace

struct TlsToClients::State {
  State(certs::LeafStore& store, certs::LeafStore* others)
      : leaves(store), strangers(others), context(SSL_CTX_new(TLS_server_method())) {
    auto* c = context.get();
    harden(c);
    SSL_CTX_set_options(c, SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
    // Our leaves' key is ECDSA. AES-128 and SHA-256 first: no peer of a test gains by more.
    SSL_CTX_set_cipher_list(c,
                            "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
                            "ECDHE-ECDSA-CHACHA20-POLY1305");
    SSL_CTX_set_ciphersuites(c, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256");
    SSL_CTX_set1_groups_list(c, "X25519:P-256");
    // Sessions travel in tickets alone, one for each handshake.
    SSL_CTX_set_session_cache_mode(c, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_session_id_context(c, reinterpret_cast<const unsigned char*>("retrial"), 7);
    SSL_CTX_set_timeout(c, 7200);
    SSL_CTX_set_num_tickets(c, 1);
    SSL_CTX_set_alpn_select_cb(
        c,
        [](SSL* ssl, const unsigned char** chosen, unsigned char* size, const unsigned char* offered, unsigned length,
           void*) { return choose_alpn(ssl, chosen, size, offered, length, wanted(ssl)); },
        nullptr);
  }
  static std::string_view wanted(SSL* ssl) { return static_cast<TlsEnd*>(SSL_get_app_data(ssl))->alpn_; }

  certs::LeafStore& leaves;
  certs::LeafStore* strangers;
  Context context;
};

TlsToClients::TlsToClients(certs::LeafStore& leaves, certs::LeafStore* strangers)
    : state_(std::make_unique<State>(leaves, strangers)) {}
TlsToClients::~TlsToClients() = default;

Result<std::unique_ptr<TlsEnd>> TlsToClients::accept(std::string_view name, std::string_view alpn, certs::Flaw flaw) {
  auto leaf = state_->leaves.leaf(name, flaw);
  if (!leaf) return std::unexpected(leaf.error());
  return accept(*leaf, alpn, flaw);
}

Result<std::unique_ptr<TlsEnd>> TlsToClients::accept_like(const TlsEnd& service, std::string_view name,
                                                          std::string_view address, std::string_view alpn,
                                                          certs::Flaw flaw) {
  auto& verified = service.verified();
  auto* shown = service.certificate();
  auto& leaves = verified.as                            ? *verified.as
                 : verified.known || !state_->strangers ? state_->leaves
                                                        : *state_->strangers;
  if (flaw == certs::Flaw::none && !verified.current) flaw = certs::Flaw::expired;
  bool like = shown && (name.empty() || !verified.named || !verified.known);
  auto leaf = like ? leaves.leaf_like(*shown, flaw) : leaves.leaf(name.empty() ? address : name, flaw);
  if (!leaf && like) leaf = leaves.leaf(name.empty() ? address : name, flaw);  // what it has shown is no text
  if (!leaf) return std::unexpected(leaf.error());
  return accept(*leaf, alpn, flaw);
}

Result<std::unique_ptr<TlsEnd>> TlsToClients::accept(const certs::Credential& leaf, std::string_view alpn,
                                                     certs::Flaw flaw) {
  auto* ssl = SSL_new(state_->context.get());
  if (!ssl) return fail(openssl_reason("a TLS connection cannot be made"));
  auto end = std::make_unique<TlsEnd>(ssl);
  end->alpn_ = alpn;
  // Who resumes is shown no certificate, and who was shown a wrong one shall not be able to resume.
  if (flaw != certs::Flaw::none) {
    SSL_set_options(ssl, SSL_OP_NO_TICKET);
    SSL_set_num_tickets(ssl, 0);
  }
  if (SSL_use_cert_and_key(ssl, leaf.certificate.get(), leaf.key.get(), nullptr, 1) != 1)
    return fail(openssl_reason("the leaf cannot be used"));
  SSL_set_accept_state(ssl);
  return end;
}

}  // namespace retrial::proxy

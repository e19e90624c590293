#include "proxy/net/tls_context.h"

#include <openssl/err.h>

namespace retrial::proxy {

void harden(SSL_CTX* context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  // OpenSSL would look for a chain in the system's store with each handshake.
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_NO_AUTO_CHAIN);
}

std::string openssl_reason(std::string what) {
  auto* reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return reason ? std::move(what) + ": " + reason : what;
}

}  // namespace retrial::proxy

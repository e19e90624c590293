#pragma once
#include <openssl/ssl.h>

#include <memory>
#include <string>

namespace retrial::proxy {

// For the TLS sources of this folder only.
struct FreeContext {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using Context = std::unique_ptr<SSL_CTX, FreeContext>;

// What holds for both sides: TLS 1.2 and 1.3, no renegotiation, no compression, no buffers kept while idle.
void harden(SSL_CTX* context);

// `what`, and OpenSSL's reason for its last failure, which is taken away.
std::string openssl_reason(std::string what);

}  // namespace retrial::proxy

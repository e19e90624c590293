#pragma once
#include <openssl/x509.h>

#include <string>
#include <vector>

#include "base/result.h"

namespace retrial::proxy {

// SHA-256 digests of public keys (SubjectPublicKeyInfo), "sha256/BASE64" (RFC 7469 2.4).
class Pins {
 public:
  static Result<Pins> read(const std::vector<std::string>& words);
  bool empty() const { return digests_.empty(); }
  bool match(X509* certificate) const;

 private:
  std::vector<std::string> digests_;
};

}  // namespace retrial::proxy

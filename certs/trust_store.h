#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace retrial::certs {

// A certificate that is trusted.
struct Root {
  std::string alias;  // what a store calls it; may be empty
  std::string der;
};

// The certificates of a file of roots, in its order, each once: PEM (with any text
// between, OpenSSL's TRUSTED CERTIFICATE too), PKCS#12 or Java's JKS. `password` is for PKCS#12 files that ask for one.
// Nothing is verified, JKS's digest neither: the file is one that this machine trusts already. An error if it is none
// of these, or holds none.
Result<std::vector<Root>> read_roots(std::string_view bytes, const std::string& password = "changeit");

std::string pem_of(const std::vector<Root>& roots);

// A PKCS#12 file (RFC 7292) that Java 8 and later read as a trust store. Nothing in it is encrypted, as nothing is
// secret; with a password it carries a MAC, without one it can be opened with any password or none. What
// is no certificate is left out: Java would refuse the whole store for it.
Result<std::string> pkcs12_trust_store(const std::vector<Root>& roots, const std::string& password);

}  // namespace retrial::certs

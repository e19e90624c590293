#include "proxy/net/pins.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/sha.h>

#include <algorithm>

namespace retrial::proxy {

Result<Pins> Pins::read(const std::vector<std::string>& words) {
  constexpr std::string_view kPrefix = "sha256/";
  constexpr std::size_t kBase64 = 44;  // of 32 bytes, with one '='
  Pins pins;
  for (auto& word : words) {
    unsigned char digest[kBase64];
    auto text = std::string_view(word).substr(word.starts_with(kPrefix) ? kPrefix.size() : word.size());
    bool good = text.size() == kBase64 && text[kBase64 - 1] == '=' && text[kBase64 - 2] != '=' &&
                EVP_DecodeBlock(digest, reinterpret_cast<const unsigned char*>(text.data()), kBase64) == 33;
    ERR_clear_error();
    if (!good) return fail("no pin (expected sha256/ and the 44 characters of a SHA-256 in base64)", word, Blame::user);
    pins.digests_.emplace_back(reinterpret_cast<char*>(digest), SHA256_DIGEST_LENGTH);
  }
  return pins;
}

bool Pins::match(X509* certificate) const {
  unsigned char* der = nullptr;
  auto size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &der);
  if (size <= 0) return false;
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(der, static_cast<std::size_t>(size), digest);
  OPENSSL_free(der);
  std::string_view of_it(reinterpret_cast<char*>(digest), sizeof digest);
  return std::find(digests_.begin(), digests_.end(), of_it) != digests_.end();
}

}  // namespace retrial::proxy

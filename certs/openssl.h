#pragma once
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

// For sources of this room only: OpenSSL's objects as owners.
namespace retrial::certs {

template <auto F>
struct Free {
  template <class T>
  void operator()(T* object) const {
    F(object);
  }
};
using Bio = std::unique_ptr<BIO, Free<BIO_free>>;
using Cert = std::unique_ptr<X509, Free<X509_free>>;

// A BIO that reads `bytes`, which must outlive it.
inline Bio reading(std::string_view bytes) {
  return Bio(BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size())));
}

inline std::string written(const Bio& bio) {
  char* data = nullptr;
  auto size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

inline std::string der_of(const X509* certificate) {
  std::string out(static_cast<std::size_t>(std::max(0, i2d_X509(certificate, nullptr))), '\0');
  auto* at = reinterpret_cast<unsigned char*>(out.data());
  if (!out.empty()) i2d_X509(certificate, &at);
  return out;
}

// For keys and certificates that may ask for a passphrase: there is none. OpenSSL's default asks at the terminal.
inline int no_passphrase(char*, int, int, void*) { return -1; }

// An error of ours with OpenSSL's reason. Leaves the thread's error queue empty: what stayed in it would be read as the
// reason of some later TLS error.
inline std::unexpected<Error> fail_openssl(std::string what, std::string on = {}, Blame blame = Blame::us) {
  auto code = ERR_peek_last_error();
  ERR_clear_error();
  if (auto* reason = ERR_reason_error_string(code)) what += std::string(": ") + reason;
  return fail(std::move(what), std::move(on), blame);
}

}  // namespace retrial::certs

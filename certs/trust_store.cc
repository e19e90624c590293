#include <set>

#include "certs/jks.h"
#include "certs/openssl.h"
#include "certs/pkcs12.h"
#include "certs/trust_store.h"

namespace retrial::certs {
namespace {

std::vector<Root> from_pem(std::string_view bytes) {
  std::vector<Root> roots;
  auto in = reading(bytes);
  for (;;) {
    // The AUX reader takes all three labels: CERTIFICATE, X509 CERTIFICATE, TRUSTED CERTIFICATE.
    Cert certificate(PEM_read_bio_X509_AUX(in.get(), nullptr, no_passphrase, nullptr));
    if (certificate) {
      roots.push_back({{}, der_of(certificate.get())});
      continue;
    }
    auto reason = ERR_GET_REASON(ERR_peek_last_error());
    ERR_clear_error();
    if (reason == PEM_R_NO_START_LINE || BIO_eof(in.get())) return roots;  // else: a block that cannot be read
  }
}

}  // namespace

std::string pem_of(const std::vector<Root>& roots) {
  Bio out(BIO_new(BIO_s_mem()));
  for (auto& root : roots)
    PEM_write_bio(out.get(), PEM_STRING_X509, "", reinterpret_cast<const unsigned char*>(root.der.data()),
                  static_cast<long>(root.der.size()));
  return written(out);
}

Result<std::vector<Root>> read_roots(std::string_view bytes, const std::string& password) {
  auto roots = read_jks(bytes);
  if (!roots) roots = read_pkcs12(bytes, password);
  if (!roots) roots = from_pem(bytes);
  std::set<std::string> seen;
  std::erase_if(*roots, [&](auto& root) { return !seen.insert(root.der).second; });
  ERR_clear_error();
  if (roots->empty()) return fail("holds no certificate that can be read (PEM, PKCS#12 or JKS)", {}, Blame::user);
  return std::move(*roots);
}

}  // namespace retrial::certs

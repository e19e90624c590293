#include "certs/authority.h"

#include <fmt/format.h>
#include <openssl/rand.h>

#include "base/text.h"
#include "certs/mint.h"
#include "certs/openssl.h"
#include "certs/trust_store.h"

namespace retrial::certs {
namespace {

constexpr std::time_t kDay = 24L * 60 * 60;
constexpr std::time_t kTenYears = 3652 * kDay;

}  // namespace

Result<Authority> Authority::make(const Clock& clock) {
  unsigned char label[4];
  if (RAND_bytes(label, sizeof label) != 1) return fail_openssl("no random bytes");
  auto key = make_key();
  if (!key) return std::unexpected(key.error());
  return Authority({nullptr, std::move(*key)})
      .twin(fmt::format("Retrial authority {:02X}{:02X}{:02X}{:02X}", label[0], label[1], label[2], label[3]), clock);
}

Result<Authority> Authority::twin(std::string name, const Clock& clock) const {
  std::time_t now = clock.wall() / kSecond;
  Wanted wanted{.common_name = std::move(name), .from = now - kDay, .until = now + kTenYears};
  auto certificate = mint(wanted, *credential_.key, nullptr);
  if (!certificate) return std::unexpected(certificate.error());
  return Authority({std::move(*certificate), credential_.key});
}

std::string Authority::name() const {
  auto* subject = X509_get_subject_name(credential_.certificate.get());
  char text[256] = "";
  X509_NAME_get_text_by_NID(subject, NID_commonName, text, sizeof text);
  return text;
}

std::string Authority::pem() const { return pem_of({{{}, der()}}); }

std::string Authority::der() const { return der_of(credential_.certificate.get()); }

std::string Authority::fingerprint() const {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  X509_digest(credential_.certificate.get(), EVP_sha256(), digest, &size);
  std::string out;
  for (unsigned i = 0; i < size; i++) out += fmt::format("{}{:02X}", i ? ":" : "", digest[i]);
  return out;
}

std::string Authority::folder_name() const {
  auto digits = lower(fingerprint());
  std::erase(digits, ':');
  return "authority-" + digits.substr(0, 8);
}

Nanos Authority::valid_from() const { return validity(*credential_.certificate).first * kSecond; }
Nanos Authority::valid_until() const { return validity(*credential_.certificate).second * kSecond; }

Result<std::string> Authority::pkcs12(const std::string& password) const {
  return pkcs12_trust_store({{name(), der()}}, password);
}

}  // namespace retrial::certs

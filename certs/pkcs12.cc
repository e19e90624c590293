#include "certs/pkcs12.h"

#include <openssl/pkcs12.h>

#include "certs/openssl.h"

namespace retrial::certs {
namespace {

// Oracle's trustedKeyUsage. Java takes a certificate without a key for a trusted one only if its bag has this, which
// names the uses it is trusted for; keytool writes anyExtendedKeyUsage.
constexpr auto kTrustedKeyUsage = "2.16.840.1.113894.746875.1.1";

// HMAC-SHA1: Java before 8u301 knows no other for PKCS#12. Its key comes of a password that everyone knows anyway.
constexpr int kMacRounds = 10'000;

using Object = std::unique_ptr<ASN1_OBJECT, Free<ASN1_OBJECT_free>>;
using Store = std::unique_ptr<PKCS12, Free<PKCS12_free>>;
using OwnedText = std::unique_ptr<char, decltype([](char* text) { OPENSSL_free(text); })>;
struct Bags {
  STACK_OF(PKCS12_SAFEBAG) * stack = nullptr;
  ~Bags() { sk_PKCS12_SAFEBAG_pop_free(stack, PKCS12_SAFEBAG_free); }
};
struct Safes {
  STACK_OF(PKCS7) * stack = nullptr;
  ~Safes() { sk_PKCS7_pop_free(stack, PKCS7_free); }
};

bool add(Bags& bags, X509* certificate, const std::string& alias, const ASN1_OBJECT* any_use) {
  auto* bag = PKCS12_add_cert(&bags.stack, certificate);
  // With length -1 the data is not bytes but the object itself (X509_ATTRIBUTE_set1_data).
  return bag && (alias.empty() || PKCS12_add_friendlyname_utf8(bag, alias.data(), static_cast<int>(alias.size()))) &&
         PKCS12_add1_attr_by_txt(bag, kTrustedKeyUsage, V_ASN1_OBJECT, reinterpret_cast<const unsigned char*>(any_use),
                                 -1);
}

}  // namespace

std::optional<std::vector<Root>> read_pkcs12(std::string_view bytes, const std::string& password) {
  auto in = reading(bytes);
  Store store(d2i_PKCS12_bio(in.get(), nullptr));
  if (!store) return {};
  std::vector<Root> roots;
  Safes safes{PKCS12_unpack_authsafes(store.get())};
  for (int i = 0; i < sk_PKCS7_num(safes.stack); i++) {
    auto* safe = sk_PKCS7_value(safes.stack, i);
    Bags bags{PKCS7_type_is_data(safe) ? PKCS12_unpack_p7data(safe)
              : PKCS7_type_is_encrypted(safe)
                  ? PKCS12_unpack_p7encdata(safe, password.data(), static_cast<int>(password.size()))
                  : nullptr};
    for (int k = 0; k < sk_PKCS12_SAFEBAG_num(bags.stack); k++) {
      auto* bag = sk_PKCS12_SAFEBAG_value(bags.stack, k);
      if (PKCS12_SAFEBAG_get_nid(bag) != NID_certBag || PKCS12_SAFEBAG_get_bag_nid(bag) != NID_x509Certificate)
        continue;
      Cert certificate(PKCS12_SAFEBAG_get1_cert(bag));
      OwnedText alias(PKCS12_get_friendlyname(bag));
      if (certificate) roots.push_back({alias ? alias.get() : "", der_of(certificate.get())});
    }
  }
  return roots;
}

Result<std::string> pkcs12_trust_store(const std::vector<Root>& roots, const std::string& password) {
  constexpr auto kWhat = "a PKCS#12 trust store could not be made";
  Object any_use(OBJ_txt2obj("2.5.29.37.0", 1));
  Bags bags;
  for (auto& root : roots) {
    auto* at = reinterpret_cast<const unsigned char*>(root.der.data());
    Cert certificate(d2i_X509(nullptr, &at, static_cast<long>(root.der.size())));
    if (certificate && !(any_use && add(bags, certificate.get(), root.alias, any_use.get())))
      return fail_openssl(kWhat, root.alias);
  }
  ERR_clear_error();
  Safes safes;
  if (!PKCS12_add_safe(&safes.stack, bags.stack, -1, 0, nullptr)) return fail_openssl(kWhat);
  Store store(PKCS12_add_safes(safes.stack, 0));
  if (!store || (!password.empty() && !PKCS12_set_mac(store.get(), password.data(), static_cast<int>(password.size()),
                                                      nullptr, 0, kMacRounds, EVP_sha1())))
    return fail_openssl(kWhat);
  Bio out(BIO_new(BIO_s_mem()));
  if (!i2d_PKCS12_bio(out.get(), store.get())) return fail_openssl(kWhat);
  return written(out);
}

}  // namespace retrial::certs

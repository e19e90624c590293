#include "certs/mint.h"

#include <openssl/ec.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <utility>

#include "certs/openssl.h"

namespace retrial::certs {
namespace {

using Number = std::unique_ptr<BIGNUM, Free<BN_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Free<X509_EXTENSION_free>>;
using Names = std::unique_ptr<GENERAL_NAMES, Free<GENERAL_NAMES_free>>;
using Name = std::unique_ptr<GENERAL_NAME, Free<GENERAL_NAME_free>>;
using Asn1Text = std::unique_ptr<ASN1_STRING, Free<ASN1_STRING_free>>;

// 127 bits with the first set: positive, never zero, and far below the 20 octets of RFC 5280 4.1.2.2.
bool set_serial(X509* certificate) {
  Number number(BN_new());
  return number && BN_rand(number.get(), 127, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1 &&
         BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate));
}

bool add_entry(X509_NAME* name, int nid, const std::string& value) {
  return X509_NAME_add_entry_by_NID(name, nid, MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(value.data()),
                                    static_cast<int>(value.size()), -1, 0) == 1;
}

bool set_subject(X509* certificate, const std::string& common_name) {
  auto* name = X509_get_subject_name(certificate);
  return add_entry(name, NID_organizationName, "Retrial") &&
         (common_name.empty() || add_entry(name, NID_commonName, common_name));
}

bool add_name(GENERAL_NAMES* names, int kind, const std::string& value) {
  Asn1Text text(ASN1_STRING_type_new(kind == GEN_DNS ? V_ASN1_IA5STRING : V_ASN1_OCTET_STRING));
  Name name(GENERAL_NAME_new());
  if (!text || !name || !ASN1_STRING_set(text.get(), value.data(), static_cast<int>(value.size()))) return false;
  GENERAL_NAME_set0_value(name.get(), kind, text.release());
  return sk_GENERAL_NAME_push(names, name.get()) && name.release();
}

bool add_san(X509* certificate, const Wanted& wanted) {
  Names names(GENERAL_NAMES_new());
  if (!names) return false;
  for (auto& dns : wanted.dns)
    if (!add_name(names.get(), GEN_DNS, dns)) return false;
  for (auto& address : wanted.addresses)
    if (!add_name(names.get(), GEN_IPADD, address)) return false;
  return X509_add1_ext_i2d(certificate, NID_subject_alt_name, names.get(), 0, X509V3_ADD_DEFAULT) == 1;
}

bool add(X509* certificate, X509* issuer, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  Extension extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool add_extensions(X509* certificate, X509* issuer, const Wanted& wanted) {
  bool authority = issuer == certificate;
  bool named = !wanted.dns.empty() || !wanted.addresses.empty();
  if (!add(certificate, issuer, NID_subject_key_identifier, "hash") ||
      !add(certificate, issuer, NID_authority_key_identifier, "keyid:always"))
    return false;
  if (authority)
    return add(certificate, issuer, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
           add(certificate, issuer, NID_key_usage, "critical,keyCertSign,cRLSign");
  return add(certificate, issuer, NID_basic_constraints, "critical,CA:FALSE") &&
         add(certificate, issuer, NID_key_usage, "critical,digitalSignature") &&
         add(certificate, issuer, NID_ext_key_usage, "serverAuth") && (!named || add_san(certificate, wanted));
}

// Edwards curves have their digest built in; everything else is told.
const EVP_MD* digest_for(const EVP_PKEY* key) {
  return EVP_PKEY_is_a(key, "ED25519") || EVP_PKEY_is_a(key, "ED448") ? nullptr : EVP_sha256();
}

std::time_t seconds(const ASN1_TIME* time) {
  std::tm parts{};
  return ASN1_TIME_to_tm(time, &parts) == 1 ? timegm(&parts) : 0;
}

}  // namespace

Result<std::shared_ptr<evp_pkey_st>> make_key() {
  auto* key = EVP_EC_gen("P-256");
  if (!key) return fail_openssl("a P-256 key could not be made");
  return std::shared_ptr<evp_pkey_st>(key, EVP_PKEY_free);
}

Result<std::shared_ptr<x509_st>> mint(const Wanted& wanted, evp_pkey_st& key, const Credential* issuer) {
  std::shared_ptr<x509_st> made(X509_new(), X509_free);
  auto* certificate = made.get();
  auto* by = issuer ? issuer->certificate.get() : certificate;
  auto* with = issuer ? issuer->key.get() : &key;
  if (!certificate || !X509_set_version(certificate, X509_VERSION_3) || !set_serial(certificate) ||
      !ASN1_TIME_set(X509_getm_notBefore(certificate), wanted.from) ||
      !ASN1_TIME_set(X509_getm_notAfter(certificate), wanted.until) || !X509_set_pubkey(certificate, &key) ||
      !set_subject(certificate, wanted.common_name) || !X509_set_issuer_name(certificate, X509_get_subject_name(by)) ||
      !add_extensions(certificate, by, wanted) || !X509_sign(certificate, with, digest_for(with)))
    return fail_openssl("a certificate could not be made", wanted.common_name);
  auto der = der_of(certificate);
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  auto* read = d2i_X509(nullptr, &at, static_cast<long>(der.size()));
  if (!read) return fail_openssl("a certificate could not be read back", wanted.common_name);
  return std::shared_ptr<x509_st>(read, X509_free);
}

void copy_names(const x509_st& certificate, Wanted& into) {
  Names names(static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); i++) {
    int kind = 0;
    auto* value = static_cast<ASN1_STRING*>(GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(names.get(), i), &kind));
    if (kind != GEN_DNS && kind != GEN_IPADD) continue;
    std::string bytes(reinterpret_cast<const char*>(ASN1_STRING_get0_data(value)),
                      static_cast<std::size_t>(ASN1_STRING_length(value)));
    (kind == GEN_DNS ? into.dns : into.addresses).push_back(std::move(bytes));
  }
  char text[65] = "";  // RFC 5280 A.1, ub-common-name
  if (X509_NAME_get_text_by_NID(X509_get_subject_name(&certificate), NID_commonName, text, sizeof text) > 0)
    into.common_name = text;
  ERR_clear_error();
}

std::pair<std::time_t, std::time_t> validity(const x509_st& certificate) {
  return {seconds(X509_get0_notBefore(&certificate)), seconds(X509_get0_notAfter(&certificate))};
}

}  // namespace retrial::certs

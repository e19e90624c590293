#pragma once
#include <filesystem>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"

struct evp_pkey_st;
struct x509_st;

namespace retrial::certs {

// A certificate with its private key. Copies share both (OpenSSL's own reference counts). Any thread may read it.
struct Credential {
  std::shared_ptr<x509_st> certificate;
  std::shared_ptr<evp_pkey_st> key;
};

// The authority that our leaves are signed by: an ECDSA P-256 root of our own (RFC 5280), made on this machine, never
// shared.
class Authority {
 public:
  // A new one. Its certificate is valid from a day before `clock.wall()` on, for ten years.
  static Result<Authority> make(const Clock& clock);
  // From `folder`/ca.pem and `folder`/ca.key, written by save(). An error names the file and what is wrong with it: not
  // there, not PEM, no authority, a key of another certificate, a key that others may read.
  static Result<Authority> load(const std::filesystem::path& folder);
  // Both files, each put in place at once; the key with mode 0600. Refuses to replace an authority unless `replace`.
  Result<void> save(const std::filesystem::path& folder, bool replace = false) const;

  const Credential& credential() const { return credential_; }
  std::string pem() const;          // the certificate alone
  std::string fingerprint() const;  // SHA-256 of it, "AB:CD:…"
  // A PKCS#12 trust store that Java reads (the certificate with the trust attribute that keytool sets).
  Result<std::string> pkcs12(const std::string& password) const;

 private:
  explicit Authority(Credential credential) : credential_(std::move(credential)) {}
  Credential credential_;
};

// Where the authority of `serve` is kept if nothing else is said: $XDG_DATA_HOME/retrial or ~/.local/share/retrial.
std::filesystem::path default_folder();

}  // namespace retrial::certs

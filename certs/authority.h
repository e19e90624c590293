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
// shared. Each has a name of its own, so that an old and a new one can be trusted side by side.
class Authority {
 public:
  // A new one. Its certificate is valid from a day before `clock.wall()` on, for ten years.
  static Result<Authority> make(const Clock& clock);
  // From `folder`/ca.pem and `folder`/ca.key, written by save(). An error, the user's, names the file and what is wrong
  // with it: not there, not PEM, no authority, a key of another certificate, a key that others may read.
  static Result<Authority> load(const std::filesystem::path& folder);
  // Both files, each put in place at once; the key with mode 0600. Makes the folder, with mode 0700. Refuses to replace
  // an authority unless `replace`.
  Result<void> save(const std::filesystem::path& folder, bool replace = false) const;

  const Credential& credential() const { return credential_; }
  std::string name() const;         // "Retrial authority 5D0C11E2": its subject's common name
  std::string pem() const;          // the certificate alone
  std::string der() const;          // the same, in DER
  std::string fingerprint() const;  // SHA-256 of it, "AB:CD:…"
  Nanos valid_from() const;         // wall time
  Nanos valid_until() const;
  // A PKCS#12 trust store that Java reads (trust_store.h). `password` may be empty: then none is asked for.
  Result<std::string> pkcs12(const std::string& password) const;

 private:
  explicit Authority(Credential credential) : credential_(std::move(credential)) {}
  Credential credential_;
};

// Where the authority of `serve` is kept if nothing else is said: $XDG_DATA_HOME/retrial or ~/.local/share/retrial.
std::filesystem::path default_folder();

}  // namespace retrial::certs

#pragma once
#include <filesystem>
#include <memory>
#include <optional>
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
  // One of that name with the key of this one. Who trusts one of them does not trust the other: issuers are found by
  // their name (RFC 5280 6.1.3).
  Result<Authority> twin(std::string name, const Clock& clock) const;
  // From `folder`/ca.pem and `folder`/ca.key: files, or as save() leaves them. Both are of one authority even where
  // another is put in place meanwhile. An error, the user's, names the file and what is wrong with it: not there, not
  // PEM, no authority, a key of another certificate, a key that everybody may open.
  static Result<Authority> load(const std::filesystem::path& folder);
  // Puts both files in place at once: they stand in a folder of their own below `folder` (folder_name()), the key with
  // mode 0600; the link `current` names that folder, and ca.pem and ca.key are links through it. Makes the folder, with
  // mode 0700. Refuses to replace an authority unless `replace`; that which was there is kept in its own folder.
  Result<void> save(const std::filesystem::path& folder, bool replace = false) const;
  // Whether there is one, be it whole or not.
  static bool stands_in(const std::filesystem::path& folder);
  // That which is there, or a new one. Who does so at the same time gets the same.
  struct Kept;
  static Result<Kept> load_or_make(const std::filesystem::path& folder, const Clock& clock);

  const Credential& credential() const { return credential_; }
  std::string name() const;         // "Retrial authority 5D0C11E2": its subject's common name
  std::string pem() const;          // the certificate alone
  std::string der() const;          // the same, in DER
  std::string fingerprint() const;  // SHA-256 of it, "AB:CD:…"
  std::string folder_name() const;  // "authority-" and the first eight digits of the fingerprint, in lower case
  Nanos valid_from() const;         // wall time
  Nanos valid_until() const;
  // A PKCS#12 trust store that Java reads (trust_store.h). `password` may be empty: then none is asked for.
  Result<std::string> pkcs12(const std::string& password) const;

 private:
  explicit Authority(Credential credential) : credential_(std::move(credential)) {}
  Credential credential_;
};

struct Authority::Kept {
  Authority authority;
  bool made = false;  // just now
  // Where it could not be saved: why. It is then one for this process alone.
  std::optional<Error> unsaved;
};

// Where the authority of `serve` is kept if nothing else is said: $XDG_DATA_HOME/retrial or ~/.local/share/retrial.
std::filesystem::path default_folder();

}  // namespace retrial::certs

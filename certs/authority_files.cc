#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <algorithm>

#include "certs/authority.h"
#include "certs/authority_layout.h"
#include "certs/openssl.h"
#include "certs/placing.h"

namespace retrial::certs {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLeast = 1u << 14;  // room for one that says nothing of its size
constexpr std::size_t kLimit = 1u << 20;  // no file of either kind is as long

using Key = std::shared_ptr<EVP_PKEY>;

auto wrong(std::string what, const fs::path& file) { return fail(std::move(what), file.string(), Blame::user); }

// A file, and the name by which the user knows it.
struct Named {
  fs::path at;
  fs::path path;
};

Result<std::string> read(const Named& named, bool secret) {
  auto& path = named.path;
  // Not to wait where the path is a FIFO.
  File file(open(named.at.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return wrong_errno("cannot be read", path);
  struct stat facts{};
  if (fstat(file.get(), &facts) != 0) return wrong_errno("cannot be read", path);
  if (!S_ISREG(facts.st_mode)) return wrong("is not a file", path);
  // Its group may read it: 0440 is what a Kubernetes Secret has under an fsGroup.
  if (secret && facts.st_mode & (S_IWGRP | S_IRWXO))
    return wrong(
        fmt::format("{} this key (mode {:04o}): chmod 600 it, or 440 where its group is to read it; make a new "
                    "authority if anyone has",
                    facts.st_mode & S_IRWXO ? "everybody may open" : "its group may change", facts.st_mode & 07777),
        path);
  // Some file systems say 0 of what has not been read yet.
  auto limit = std::clamp(static_cast<std::size_t>(facts.st_size), kLeast, kLimit);
  std::string bytes(limit + 1, '\0');
  std::size_t size = 0;
  for (ssize_t got = 1; got > 0 && size < bytes.size(); size += static_cast<std::size_t>(got)) {
    got = ::read(file.get(), bytes.data() + size, bytes.size() - size);
    if (got < 0) return wrong_errno("cannot be read", path);
  }
  if (size > limit) return wrong("is longer than any certificate or key", path);
  bytes.resize(size);
  return bytes;
}

Result<Cert> read_certificate(const Named& named) {
  auto& path = named.path;
  auto bytes = read(named, false);
  if (!bytes) return std::unexpected(bytes.error());
  auto in = reading(*bytes);
  Cert certificate(PEM_read_bio_X509(in.get(), nullptr, no_passphrase, nullptr));
  ERR_clear_error();
  if (!certificate) return wrong("is not a certificate in PEM", path);
  bool signs = X509_check_ca(certificate.get()) == 1 && X509_get_key_usage(certificate.get()) & KU_KEY_CERT_SIGN;
  if (!signs) return wrong("is not an authority's certificate: it may not sign others", path);
  if (X509_self_signed(certificate.get(), 1) != 1) {
    ERR_clear_error();
    return wrong("is not a root: another authority has signed it, and its clients would need the whole chain", path);
  }
  return certificate;
}

Result<Key> read_key(const Named& named) {
  auto& path = named.path;
  auto bytes = read(named, true);
  if (!bytes) return std::unexpected(bytes.error());
  auto in = reading(*bytes);
  Key key(PEM_read_bio_PrivateKey(in.get(), nullptr, no_passphrase, nullptr), EVP_PKEY_free);
  OPENSSL_cleanse(bytes->data(), bytes->size());
  ERR_clear_error();
  if (!key) return wrong("is not a private key in PEM without a passphrase", path);
  return key;
}

// The folder that both files are read from: where ca.pem and ca.key are our links, what `current` names now, so that
// both are of one authority.
fs::path read_from(const fs::path& folder) {
  if (!is_link_of_ours(folder / kCertificate) || !is_link_of_ours(folder / kKey)) return folder;
  std::error_code error;
  auto current = fs::read_symlink(folder / kCurrent, error);
  return error ? folder : folder / current;
}

}  // namespace

Result<Authority> Authority::load(const fs::path& folder) {
  for (bool again = true;; again = false) {
    auto from = read_from(folder);
    auto certificate = read_certificate({from / kCertificate, folder / kCertificate});
    if (!certificate) return std::unexpected(certificate.error());
    auto key = read_key({from / kKey, folder / kKey});
    if (!key) return std::unexpected(key.error());
    if (X509_check_private_key(certificate->get(), key->get()) == 1)
      return Authority({std::shared_ptr<X509>(std::move(*certificate)), std::move(*key)});
    ERR_clear_error();
    if (again) continue;  // plain files may just have been replaced
    return wrong(
        fmt::format("is not the key of {}: bring the two that belong together, or remove both and make another",
                    (folder / kCertificate).string()),
        folder / kKey);
  }
}

}  // namespace retrial::certs

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "certs/authority.h"
#include "certs/openssl.h"

namespace retrial::certs {
namespace {

namespace fs = std::filesystem;

constexpr auto kCertificate = "ca.pem";
constexpr auto kKey = "ca.key";
constexpr std::size_t kLimit = 1u << 20;  // no file of either kind is as long

using Key = std::shared_ptr<EVP_PKEY>;

class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

auto wrong(std::string what, const fs::path& file) { return fail(std::move(what), file.string(), Blame::user); }
auto wrong_errno(std::string what, const fs::path& file) {
  return fail_errno(std::move(what), errno, file.string(), Blame::user);
}

Result<std::string> read(const fs::path& path, bool secret) {
  // Not to wait where the path is a FIFO.
  File file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return wrong_errno("cannot be read", path);
  struct stat facts{};
  if (fstat(file.get(), &facts) != 0) return wrong_errno("cannot be read", path);
  if (!S_ISREG(facts.st_mode)) return wrong("is not a file", path);
  if (secret && facts.st_mode & (S_IRWXG | S_IRWXO))
    return wrong(fmt::format("others than its owner may open this key (mode {:04o}): chmod 600 it, or make a new "
                             "authority if anyone has",
                             facts.st_mode & 07777),
                 path);
  std::string bytes(kLimit + 1, '\0');
  std::size_t size = 0;
  for (ssize_t got = 1; got > 0 && size < bytes.size(); size += static_cast<std::size_t>(got)) {
    got = ::read(file.get(), bytes.data() + size, bytes.size() - size);
    if (got < 0) return wrong_errno("cannot be read", path);
  }
  if (size > kLimit) return wrong("is longer than any certificate or key", path);
  bytes.resize(size);
  return bytes;
}

// A new file with a name of its own beside `target`, whole on the disk.
Result<fs::path> write_beside(const fs::path& target, const std::string& bytes, mode_t mode) {
  auto name = target.string() + ".XXXXXX";
  File file(mkostemp(name.data(), O_CLOEXEC));
  if (file.get() < 0) return wrong_errno("cannot be written", target);
  bool ok = fchmod(file.get(), mode) == 0;
  for (std::size_t at = 0; ok && at < bytes.size();) {
    auto sent = write(file.get(), bytes.data() + at, bytes.size() - at);
    ok = sent > 0;
    if (ok) at += static_cast<std::size_t>(sent);
  }
  if (ok && fsync(file.get()) == 0) return fs::path(name);
  auto reason = errno;
  unlink(name.c_str());
  errno = reason;
  return wrong_errno("cannot be written", target);
}

Result<void> put(const fs::path& target, const std::string& bytes, mode_t mode, bool replace) {
  auto written = write_beside(target, bytes, mode);
  if (!written) return std::unexpected(written.error());
  if (replace && rename(written->c_str(), target.c_str()) == 0) return {};
  // A link, unlike a rename, does not replace what another has put there meanwhile.
  bool linked = !replace && link(written->c_str(), target.c_str()) == 0;
  auto reason = errno;
  unlink(written->c_str());
  if (linked) return {};
  errno = reason;
  return wrong_errno("cannot be put in place", target);
}

Result<Cert> read_certificate(const fs::path& path) {
  auto bytes = read(path, false);
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

Result<Key> read_key(const fs::path& path) {
  auto bytes = read(path, true);
  if (!bytes) return std::unexpected(bytes.error());
  auto in = reading(*bytes);
  Key key(PEM_read_bio_PrivateKey(in.get(), nullptr, no_passphrase, nullptr), EVP_PKEY_free);
  OPENSSL_cleanse(bytes->data(), bytes->size());
  ERR_clear_error();
  if (!key) return wrong("is not a private key in PEM without a passphrase", path);
  return key;
}

}  // namespace

Result<Authority> Authority::load(const fs::path& folder) {
  auto certificate = read_certificate(folder / kCertificate);
  if (!certificate) return std::unexpected(certificate.error());
  auto key = read_key(folder / kKey);
  if (!key) return std::unexpected(key.error());
  if (X509_check_private_key(certificate->get(), key->get()) != 1) {
    ERR_clear_error();
    return wrong(fmt::format("is not the key of {}", (folder / kCertificate).string()), folder / kKey);
  }
  return Authority({std::shared_ptr<X509>(std::move(*certificate)), std::move(*key)});
}

Result<void> Authority::save(const fs::path& folder, bool replace) const {
  std::error_code error;
  if (fs::create_directories(folder, error)) fs::permissions(folder, fs::perms::owner_all, error);
  if (error) return wrong("cannot be made: " + error.message(), folder);
  for (auto* name : {kKey, kCertificate})
    if (!replace && fs::exists(fs::symlink_status(folder / name, error)))
      return wrong("is there already", folder / name);
  Bio key(BIO_new(BIO_s_secmem()));
  if (!PEM_write_bio_PKCS8PrivateKey(key.get(), credential_.key.get(), nullptr, nullptr, 0, nullptr, nullptr))
    return fail_openssl("the authority's key could not be written", (folder / kKey).string());
  auto secret = written(key);
  auto put_key = put(folder / kKey, secret, 0600, replace);
  OPENSSL_cleanse(secret.data(), secret.size());
  if (!put_key) return put_key;
  return put(folder / kCertificate, pem(), 0644, replace);
}

}  // namespace retrial::certs

#include <openssl/crypto.h>
#include <sys/stat.h>

#include "certs/authority.h"
#include "certs/authority_layout.h"
#include "certs/openssl.h"
#include "certs/placing.h"

namespace retrial::certs {
namespace {

namespace fs = std::filesystem;

Result<std::string> pem_of_key(const Authority& authority) {
  Bio out(BIO_new(BIO_s_secmem()));
  auto* key = authority.credential().key.get();
  if (!PEM_write_bio_PKCS8PrivateKey(out.get(), key, nullptr, nullptr, 0, nullptr, nullptr))
    return fail_openssl("the authority's key could not be written");
  return written(out);
}

Result<void> write_both(const Authority& authority, const fs::path& folder) {
  auto key = pem_of_key(authority);
  if (!key) return std::unexpected(key.error());
  auto ok = write_new(folder / kKey, *key, 0600);
  OPENSSL_cleanse(key->data(), key->size());
  return ok ? write_new(folder / kCertificate, authority.pem(), 0644) : ok;
}

// Its own folder with both files, all of it or none.
Result<void> write_own_folder(const Authority& authority, const fs::path& folder) {
  auto own = folder / authority.folder_name();
  if (auto there = Authority::load(own); there && there->fingerprint() == authority.fingerprint()) return {};
  auto beside = own.string() + ".XXXXXX";
  if (!mkdtemp(beside.data())) return wrong_errno("cannot be made", own);
  auto ok = write_both(authority, beside);
  if (ok && (chmod(beside.c_str(), 0755) != 0 || rename(beside.c_str(), own.c_str()) != 0))
    ok = wrong_errno("cannot be put in place", own);
  if (!ok) {
    std::error_code error;
    fs::remove_all(beside, error);
    return ok;
  }
  sync(own);
  sync(folder);
  return {};
}

Result<void> make_folder(const fs::path& folder) {
  std::error_code error;
  if (fs::create_directories(folder, error)) fs::permissions(folder, fs::perms::owner_all, error);
  if (error) return fail("cannot be made: " + error.message(), folder.string(), Blame::user);
  return {};
}

// Where nothing is: the links lead nowhere until `current` is there, which only one can make.
Result<void> put_first(const Authority& authority, const fs::path& folder) {
  std::error_code error;
  for (auto& file : {folder / kKey, folder / kCertificate})
    if (fs::exists(file, error) || (fs::exists(fs::symlink_status(file, error)) && !is_link_of_ours(file)))
      return fail("is there already", file.string(), Blame::user);
  // Left behind where the user has taken both files away, or the folder that it names.
  auto current = folder / kCurrent;
  if (fs::is_symlink(current, error)) fs::remove(current, error);
  for (auto& file : {folder / kKey, folder / kCertificate})
    if (auto ok = relink(target_of(file), file); !ok) return ok;
  if (auto ok = write_own_folder(authority, folder); !ok) return ok;
  auto ok = link_new(authority.folder_name(), current);
  if (!ok) fs::remove_all(folder / authority.folder_name(), error);
  sync(folder);
  return ok;
}

// In the place of what is there. `current` comes first: plain files are then replaced by links to one that is whole.
Result<void> put_instead(const Authority& authority, const fs::path& folder) {
  if (auto ok = write_own_folder(authority, folder); !ok) return ok;
  if (auto ok = relink(authority.folder_name(), folder / kCurrent); !ok) return ok;
  sync(folder);
  for (auto& file : {folder / kKey, folder / kCertificate})
    if (auto ok = relink(target_of(file), file); !ok) return ok;
  sync(folder);
  return {};
}

}  // namespace

bool Authority::stands_in(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / kCertificate, error) || fs::exists(folder / kKey, error);
}

Result<void> Authority::save(const fs::path& folder, bool replace) const {
  if (auto ok = make_folder(folder); !ok) return ok;
  Lock lock(folder);
  if (!replace) return put_first(*this, folder);
  // That which is there is laid out first: while plain files give way to links, one by one, these lead to the same.
  if (auto old = load(folder))
    if (auto ok = put_instead(*old, folder); !ok) return ok;
  return put_instead(*this, folder);
}

Result<Authority::Kept> Authority::load_or_make(const fs::path& folder, const Clock& clock) {
  if (!stands_in(folder)) {
    auto fresh = make(clock);
    if (!fresh) return std::unexpected(fresh.error());
    auto saved = fresh->save(folder);
    if (saved) return Kept{std::move(*fresh), true, {}};
    if (!stands_in(folder)) return Kept{std::move(*fresh), true, saved.error()};
  }
  auto loaded = load(folder);
  if (!loaded) return std::unexpected(loaded.error());
  return Kept{std::move(*loaded), false, {}};
}

}  // namespace retrial::certs

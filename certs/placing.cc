#include "certs/placing.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cstdlib>

namespace retrial::certs {

namespace fs = std::filesystem;

Lock::Lock(const fs::path& folder) : folder_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  while (folder_.get() >= 0 && flock(folder_.get(), LOCK_EX) != 0 && errno == EINTR) {
  }
}

void sync(const fs::path& folder) {
  File file(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file.get() >= 0) fsync(file.get());
}

Result<void> write_new(const fs::path& path, std::string_view bytes, mode_t mode) {
  File file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
  bool ok = file.get() >= 0 && fchmod(file.get(), mode) == 0;
  while (ok && !bytes.empty()) {
    auto put = write(file.get(), bytes.data(), bytes.size());
    ok = put > 0;
    if (ok) bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  if (ok && fsync(file.get()) == 0) return {};
  return wrong_errno("cannot be written", path);
}

Result<void> link_new(const fs::path& target, const fs::path& link) {
  if (symlink(target.c_str(), link.c_str()) == 0) return {};
  return wrong_errno("cannot be put in place", link);
}

Result<void> relink(const fs::path& target, const fs::path& link) {
  std::error_code error;
  if (fs::read_symlink(link, error) == target) return {};
  // A name that nothing has: links cannot be made by mkstemp.
  auto beside = link.string() + ".XXXXXX";
  int fd = mkostemp(beside.data(), O_CLOEXEC);
  if (fd < 0) return wrong_errno("cannot be put in place", link);
  close(fd);
  unlink(beside.c_str());
  if (symlink(target.c_str(), beside.c_str()) == 0) {
    if (rename(beside.c_str(), link.c_str()) == 0) return {};
    auto reason = errno;
    unlink(beside.c_str());
    errno = reason;
  }
  return wrong_errno("cannot be put in place", link);
}

}  // namespace retrial::certs

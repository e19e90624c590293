#include "base/private_files.h"

#include <sys/stat.h>
#include <unistd.h>

namespace retrial {
namespace {
mode_t before_narrowing = 0;
bool changed = false;
}  // namespace

void keep_files_private() {
  auto was = umask(077);
  if (!changed) before_narrowing = was;
  changed = true;
}

void restore_umask() {
  if (changed) umask(before_narrowing);
}

Result<void> private_folder(const std::filesystem::path& folder) {
  std::error_code error;
  bool made = std::filesystem::create_directories(folder, error);
  if (error) return fail("cannot be made: " + error.message(), folder.string(), Blame::user);
  struct stat is{};
  bool ours = stat(folder.c_str(), &is) == 0 && is.st_uid == geteuid() && !(is.st_mode & (S_ISVTX | S_IWOTH));
  if (made || ours) chmod(folder.c_str(), 0700);
  return {};
}

}  // namespace retrial

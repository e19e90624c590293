#pragma once
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/result.h"

// Files, links and folders, put where they belong whole or not at all; for sources of this room only.
namespace retrial::certs {

class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

// What errno says of a file of the user's.
inline auto wrong_errno(std::string what, const std::filesystem::path& file) {
  return fail_errno(std::move(what), errno, file.string(), Blame::user);
}

// Waits until no other process or thread holds the folder, and holds it until the end of its life. Where the file
// system knows no such thing it does nothing.
class Lock {
 public:
  explicit Lock(const std::filesystem::path& folder);

 private:
  File folder_;
};

// What was made or renamed in a folder is there after a loss of power.
void sync(const std::filesystem::path& folder);

// A new file, whole on the disk.
Result<void> write_new(const std::filesystem::path& file, std::string_view bytes, mode_t mode);

// A link where nothing is: an error if there is anything.
Result<void> link_new(const std::filesystem::path& target, const std::filesystem::path& link);

// A link in the place of what is there, at once.
Result<void> relink(const std::filesystem::path& target, const std::filesystem::path& link);

}  // namespace retrial::certs

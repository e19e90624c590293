#pragma once
#include <sys/stat.h>

#include <string>

namespace retrial::proxy {

// What stat(2) tells of a file's content: equal stamps, the same content (but for a change of equal length within one
// tick of the file system's clock). That there is no such file is a stamp too.
struct FileStamp {
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = -1;
  time_t seconds = 0;
  long nanoseconds = 0;

  static FileStamp of(const std::string& path) {
    struct stat found;
    if (::stat(path.c_str(), &found) != 0) return {};
    return {found.st_dev, found.st_ino, found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec};
  }
  bool operator==(const FileStamp&) const = default;
};

}  // namespace retrial::proxy

#include "proxy/capture/client_memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace retrial::proxy::capture {

ClientMemory::ClientMemory(pid_t thread) {
  char path[40];
  snprintf(path, sizeof path, "/proc/%d/mem", thread);
  fd_ = open(path, O_RDWR | O_CLOEXEC);
  error_number_ = fd_ < 0 ? errno : 0;
}
ClientMemory::~ClientMemory() {
  if (fd_ >= 0) close(fd_);
}
ssize_t ClientMemory::read(std::uint64_t at, void* to, std::size_t size) const {
  return pread(fd_, to, size, static_cast<off_t>(at));
}
bool ClientMemory::write(std::uint64_t at, const void* from, std::size_t size) const {
  return pwrite(fd_, from, size, static_cast<off_t>(at)) == static_cast<ssize_t>(size);
}

}  // namespace retrial::proxy::capture

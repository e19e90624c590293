#include "proxy/capture/natives.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "proxy/capture/client_socket.h"
#include "proxy/capture/processes.h"

namespace retrial::proxy::capture {
namespace {

// Who listens at the other end of a UNIX socket; 0: not known.
pid_t peer_of(pid_t process, int fd) {
  const int pidfd = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  if (pidfd < 0) return 0;
  const int duplicate = static_cast<int>(syscall(SYS_pidfd_getfd, pidfd, fd, 0));
  close(pidfd);
  ucred peer{};
  socklen_t size = sizeof peer;
  if (duplicate < 0 || getsockopt(duplicate, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) peer.pid = 0;
  if (duplicate >= 0) close(duplicate);
  return peer.pid;
}

}  // namespace

void Natives::left(pid_t process, int fd, bool is_unix, std::string name) {
  if (const ino_t inode = inode_of(process, fd)) natives_.push_back({process, fd, is_unix, std::move(name), inode});
}

// What was closed, or given another number, is forgotten.
std::string Natives::open(pid_t root) {
  std::erase_if(natives_, [root](const Native& one) {
    if (inode_of(one.process, one.fd) != one.inode) return true;
    const pid_t peer = one.is_unix ? peer_of(one.process, one.fd) : 0;
    return peer != 0 && descends(peer, root);
  });
  if (natives_.empty()) return {};
  const auto& one = natives_.front();
  Stat stat;
  read_stat(one.process, stat);
  return fmt::format("{}[{}] (connected to {})", static_cast<const char*>(stat.name), one.process, one.name);
}

}  // namespace retrial::proxy::capture

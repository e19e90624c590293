#include "proxy/capture/client_socket.h"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

namespace retrial::proxy::capture {
namespace {
constexpr unsigned kPidfdThread = O_EXCL;  // PIDFD_THREAD, Linux 6.9
constexpr int kMptcp = 262;

int option(int fd, int level, int name) {
  int value = 0;
  socklen_t size = sizeof value;
  return getsockopt(fd, level, name, &value, &size) == 0 ? value : -1;
}

int pidfd_open(pid_t pid, unsigned flags) { return static_cast<int>(syscall(SYS_pidfd_open, pid, flags)); }

void look_by_duplicate(ClientSocket& socket, pid_t thread, pid_t process, int fd) {
  // A thread may have a table of descriptors of its own; before 6.9 only the process can be named.
  int pidfd = thread == process ? -1 : pidfd_open(thread, kPidfdThread);
  if (pidfd < 0) pidfd = pidfd_open(process, 0);
  const int duplicate = pidfd < 0 ? -1 : static_cast<int>(syscall(SYS_pidfd_getfd, pidfd, fd, 0));  // close-on-exec
  socket.error_number = errno;
  if (pidfd >= 0) close(pidfd);
  if (duplicate < 0) {
    if (pidfd >= 0 && socket.error_number == EBADF) socket.kind = ClientSocket::Kind::no_socket;
    return;
  }
  socket.duplicate = duplicate;
  struct stat about{};
  fstat(duplicate, &about);
  socket.inode = about.st_ino;
  if (!S_ISSOCK(about.st_mode)) {
    socket.kind = ClientSocket::Kind::no_socket;
    return;
  }
  const int protocol = option(duplicate, SOL_SOCKET, SO_PROTOCOL);
  socket.family = option(duplicate, SOL_SOCKET, SO_DOMAIN);
  const bool tcp =
      (socket.family == AF_INET || socket.family == AF_INET6) && (protocol == IPPROTO_TCP || protocol == kMptcp);
  socket.kind = tcp ? ClientSocket::Kind::tcp : ClientSocket::Kind::other_socket;
  socket.only_v6 = socket.family == AF_INET6 && option(duplicate, IPPROTO_IPV6, IPV6_V6ONLY) > 0;
  socket.non_blocking = fcntl(duplicate, F_GETFL) & O_NONBLOCK;
}

void look_by_proc(ClientSocket& socket, pid_t thread, int fd) {
  char path[64], text[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", thread, fd);
  ssize_t n = readlink(path, text, sizeof text - 1);
  if (n < 0) {
    socket.error_number = errno;
    if (errno == ENOENT) socket.kind = ClientSocket::Kind::no_socket;
    return;
  }
  text[n] = 0;
  unsigned long inode = 0;
  if (sscanf(text, "socket:[%lu]", &inode) != 1) {
    socket.kind = ClientSocket::Kind::no_socket;
    return;
  }
  socket.inode = inode;
  n = getxattr(path, "system.sockprotoname", text,
               sizeof text - 1);  // the only thing that tells its protocol from outside
  text[n < 0 ? 0 : n] = 0;
  const bool tcp = strstr(text, "TCP") != nullptr;  // TCP, TCPv6, MPTCP, MPTCPv6
  socket.kind = tcp ? ClientSocket::Kind::tcp : ClientSocket::Kind::other_socket;
  if (tcp) socket.family = strstr(text, "v6") ? AF_INET6 : AF_INET;
  snprintf(path, sizeof path, "/proc/%d/fdinfo/%d", thread, fd);
  char info[256];
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  n = file < 0 ? -1 : read(file, info, sizeof info - 1);
  if (file >= 0) close(file);
  info[n < 0 ? 0 : n] = 0;
  unsigned flags = 0;
  if (const char* at = strstr(info, "flags:"); at && sscanf(at, "flags: %o", &flags) == 1)
    socket.non_blocking = flags & O_NONBLOCK;
}
}  // namespace

ClientSocket::~ClientSocket() {
  if (duplicate >= 0) close(duplicate);
}

void look_at(ClientSocket& socket, Way way, pid_t thread, pid_t process, int fd) {
  if (way == Way::getfd)
    look_by_duplicate(socket, thread, process, fd);
  else
    look_by_proc(socket, thread, fd);
}

ino_t inode_of(pid_t thread, int fd) {
  char path[64], text[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", thread, fd);
  const ssize_t n = readlink(path, text, sizeof text - 1);
  text[n < 0 ? 0 : n] = 0;
  unsigned long inode = 0;
  return sscanf(text, "socket:[%lu]", &inode) == 1 ? inode : 0;
}

bool begun(const ClientSocket& socket, pid_t thread) {
  if (socket.duplicate >= 0) {
    tcp_info info{};
    socklen_t size = sizeof info;
    return getsockopt(socket.duplicate, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 && info.tcpi_state != TCP_CLOSE;
  }
  const std::string wanted = std::to_string(socket.inode);
  std::ifstream table("/proc/" + std::to_string(thread) + (socket.family == AF_INET6 ? "/net/tcp6" : "/net/tcp"));
  for (std::string line; std::getline(table, line);) {
    //  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
    char inode[24] = "";
    if (sscanf(line.c_str(), "%*s %*s %*s %*s %*s %*s %*s %*s %*s %23s", inode) == 1 && wanted == inode) return true;
  }
  return false;
}

std::unordered_map<ino_t, Address> unanswered() {
  std::unordered_map<ino_t, Address> found;
  for (const char* file : {"/proc/thread-self/net/tcp", "/proc/thread-self/net/tcp6"}) {
    std::ifstream table(file);
    for (std::string line; std::getline(table, line);) {
      char ip[33] = "";
      unsigned port = 0, state = 0;
      unsigned long inode = 0;
      if (sscanf(line.c_str(), "%*s %32[0-9A-F]:%4X %*s %2X %*s %*s %*s %*s %*s %lu", ip, &port, &state, &inode) != 4 ||
          state != TCP_SYN_SENT)
        continue;
      // Words of 32 bits, each as this machine reads them.
      in6_addr words{};
      for (std::size_t i = 0; i * 8 < strlen(ip); ++i)
        words.s6_addr32[i] = static_cast<std::uint32_t>(std::stoul(std::string(ip + 8 * i, 8), nullptr, 16));
      const auto number = static_cast<std::uint16_t>(port);
      found[inode] = strlen(ip) == 8 ? Address::v4(ntohl(words.s6_addr32[0]), number) : Address::v6(words, number);
    }
  }
  return found;
}

bool same_network(pid_t thread) {
  char path[40];
  snprintf(path, sizeof path, "/proc/%d/ns/net", thread);
  struct stat theirs{}, ours{};
  if (stat(path, &theirs) != 0 || stat("/proc/thread-self/ns/net", &ours) != 0) return true;
  return theirs.st_ino == ours.st_ino && theirs.st_dev == ours.st_dev;
}

}  // namespace retrial::proxy::capture

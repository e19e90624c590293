#pragma once
#include <sys/types.h>

#include <unordered_map>

#include "proxy/capture/tree.h"

namespace retrial::proxy::capture {

// What a descriptor of the tree is, seen from outside.
struct ClientSocket {
  enum class Kind { tcp, other_socket, no_socket, unreadable } kind = Kind::unreadable;
  int family = 0;        // of a TCP socket: AF_INET or AF_INET6
  bool only_v6 = false;  // getfd only
  bool non_blocking = false;
  ino_t inode = 0;       // stays the same over dup, fork and passing
  int duplicate = -1;    // getfd only; owned
  int error_number = 0;  // of unreadable

  ClientSocket() = default;
  ClientSocket(const ClientSocket&) = delete;
  ~ClientSocket();
};

// `process` is the thread's process. By getfd a duplicate is taken and asked, by rewrite /proc is read.
void look_at(ClientSocket& socket, Way way, pid_t thread, pid_t process, int fd);

// Inode of the socket, 0 if it is none or cannot be seen.
ino_t inode_of(pid_t thread, int fd);

// Whether this TCP socket has begun to connect, or is connected, by whatever way. By rewrite the kernel's table of
// connections is read through, which is slow.
bool begun(const ClientSocket& socket, pid_t thread);

// Own addresses of the sockets of this network whose connect nobody has answered yet, by inode. Slow likewise.
std::unordered_map<ino_t, Address> unanswered();

// Whether the thread lives in the network that we live in: elsewhere our dial would reach something else.
bool same_network(pid_t thread);

}  // namespace retrial::proxy::capture

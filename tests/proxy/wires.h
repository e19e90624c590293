#pragma once
#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "proxy/net/address.h"
#include "proxy/net/socket.h"

namespace retrial::test {

// Runs the loop until it is so; false where it does not come to be within 20 s.
inline bool run_until(proxy::Loop& loop, const std::function<bool()>& so) {
  for (auto began = SystemClock().now(); !so(); loop.round(false))
    if (SystemClock().now() - began > 20 * kSecond) return false;
  return true;
}

// A listening socket on loopback.
class Port {
 public:
  explicit Port(const proxy::Address& at = proxy::Address::v4(INADDR_LOOPBACK, 0), int backlog = 16)
      : fd(::socket(at.family(), SOCK_STREAM | SOCK_CLOEXEC, 0)), address(at) {
    socklen_t size = address.size();
    int reuse = at.port() != 0;  // a connection that was closed there a moment ago is in nobody's way
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse);
    EXPECT_EQ(::bind(fd, address.get(), size), 0);
    EXPECT_EQ(::listen(fd, backlog), 0);
    EXPECT_EQ(getsockname(fd, address.get(), &size), 0);
  }
  ~Port() { close(); }
  Port(const Port&) = delete;
  void close() {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }
  int accept() { return ::accept4(fd, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK); }
  int fd;
  proxy::Address address;
};

// Two connected ends, non-blocking.
inline std::pair<int, int> tcp_pair() {
  Port port;
  int one = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_EQ(::connect(one, port.address.get(), port.address.size()), 0);
  fcntl(one, F_SETFL, O_NONBLOCK);
  return {one, port.accept()};
}

// A non-blocking socket on which a connect is under way.
inline int begin_connect(const proxy::Address& to) {
  int fd = ::socket(to.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  EXPECT_TRUE(::connect(fd, to.get(), to.size()) == 0 || errno == EINPROGRESS);
  return fd;
}

inline void abort_connection(int fd) {
  linger hard{1, 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  ::close(fd);
}

// Reads a Socket whenever it is told to, and keeps what came.
struct Reader final : proxy::SocketEvents {
  using Got = proxy::Socket::Got;
  void ready(proxy::Socket& socket) override {
    told++;
    if (!reads) return;
    auto [g, size] = socket.read(room.data(), std::min(piece, room.size()));
    if (stops) socket.listen(false);
    if (g == Got::bytes)
      heard.append(room.data(), size);
    else if (g != Got::nothing)
      ends.push_back(g);
  }
  std::array<char, 65536> room;
  std::size_t piece = 65536;  // the most that is read at once
  bool reads = true;
  bool stops = false;  // listens no more after having read
  int told = 0;
  std::string heard;
  std::vector<Got> ends;  // fin, rst, failed, in their order
};

}  // namespace retrial::test

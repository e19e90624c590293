#include "proxy/capture/dead_ends.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace retrial::proxy::capture {
namespace {
constexpr int kMostFillers = 8;

int make(int family) { return socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

void share_port(int fd) {
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
}

bool connected(int fd) {
  pollfd out{fd, POLLOUT, 0};
  return poll(&out, 1, 0) == 1;
}

// Connections that are never accepted fill the queue of a listener, also once they are closed. What connects after them
// stays in SYN_SENT.
bool fill(const Address& listener) {
  for (int i = 0; i < kMostFillers; ++i) {
    const int fd = make(listener.family());
    if (fd < 0) return false;
    const bool begun = ::connect(fd, listener.get(), listener.size()) == 0 || errno == EINPROGRESS;
    const bool full = begun && !connected(fd);
    close(fd);
    if (!begun || full) return full;
  }
  errno = EAGAIN;
  return false;
}

std::string key(const Address& address) { return {reinterpret_cast<const char*>(address.get()), address.size()}; }

// An IPv4 address in the form of the family that the client's socket has.
Address mapped(const Address& v4) {
  in6_addr ip{};
  ip.s6_addr[10] = ip.s6_addr[11] = 0xff;
  const std::uint32_t network_order = htonl(v4.ip4());
  std::memcpy(&ip.s6_addr[12], &network_order, sizeof network_order);
  return Address::v6(ip, v4.port());
}
Address unmapped(const Address& address) {
  return address.mapped() ? Address::v4(address.ip4(), address.port()) : address;
}
}  // namespace

DeadEnds::~DeadEnds() {
  for (auto& [what, end] : ends_) close(end.socket);
}

std::optional<Address> DeadEnds::lead(Kind kind, const Address& written) {
  const auto known = ends_.find({kind, key(written)});
  if (known != ends_.end()) return known->second.at;
  const bool v6 = written.family() == AF_INET6 && !written.mapped();
  End end;
  end.at = v6 ? Address::v6(in6addr_loopback, 0) : Address::v4(INADDR_LOOPBACK, 0);
  end.written = written;
  end.socket = make(end.at.family());
  if (end.socket < 0) return std::nullopt;
  if (kind == Kind::silent) share_port(end.socket);
  socklen_t size = end.at.size();
  bool ready = bind(end.socket, end.at.get(), size) == 0 && getsockname(end.socket, end.at.get(), &size) == 0;
  if (ready && kind == Kind::silent) ready = listen(end.socket, 0) == 0 && fill(end.at);
  if (!ready) {
    close(end.socket);
    return std::nullopt;
  }
  if (written.mapped()) end.at = mapped(end.at);
  ends_[{kind, key(written)}] = end;
  return end.at;
}

std::optional<Address> DeadEnds::written(const Address& name) const {
  for (auto& [what, end] : ends_)
    if (end.at == name) return end.written;
  return std::nullopt;
}

int DeadEnds::answer(const Address& silent, const Address& client) {
  const Address at = unmapped(silent), to = unmapped(client);
  const int fd = make(at.family());
  if (fd < 0) return -1;
  share_port(fd);
  if (bind(fd, at.get(), at.size()) == 0 && (::connect(fd, to.get(), to.size()) == 0 || errno == EINPROGRESS))
    return fd;
  const int error_number = errno;
  close(fd);
  errno = error_number;
  return -1;
}

}  // namespace retrial::proxy::capture

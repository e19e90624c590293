#include "proxy/net/connect_attempt.h"

#include <event2/event.h>
#include <linux/tcp.h>  // netinet/tcp.h has an older tcp_info
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <utility>

namespace retrial::proxy {
namespace {

// tcp_states.h of the kernel
constexpr unsigned kSynSent = 2, kSynReceived = 3, kClosed = 7;

// A port of this machine that nobody listens on may be given to the very socket that connects to it: TCP then connects
// it with itself (RFC 9293 3.5, simultaneous open).
bool with_itself(int fd, const Address& to) {
  Address own;
  socklen_t size = sizeof own.storage_;
  return ::getsockname(fd, own.get(), &size) == 0 && own == to;
}

}  // namespace

ConnectAttempt::ConnectAttempt(Loop& loop, const Address& to, Ended ended) : to_(to), ended_(std::move(ended)) {
  fd_ = ::socket(to.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd_ < 0) {
    refused_ = errno;
    return;
  }
  step_ = "connect";
  if (::connect(fd_, to.get(), to.size()) == 0 || errno == EINPROGRESS)
    watch_ = std::make_unique<Watch>(loop, fd_, EV_WRITE, [this](short) { look(); });
  else
    refused_ = errno;
}

ConnectAttempt::~ConnectAttempt() {
  watch_.reset();
  if (fd_ >= 0) ::close(fd_);
}

int ConnectAttempt::release() {
  watch_.reset();
  return std::exchange(fd_, -1);
}

void ConnectAttempt::look() {
  int error = progress();
  if (error == EINPROGRESS) return;
  watch_.reset();
  auto ended = std::move(ended_);  // it may destroy this
  ended(*this, error);
}

// Whether it was connected is read from its state: SO_ERROR would take the error away, and a peer that accepted and
// reset at once, which was connected to, would seem to have ended in peace.
int ConnectAttempt::progress() const {
  tcp_info info{};
  socklen_t size = sizeof info;
  bool known = ::getsockopt(fd_, IPPROTO_TCP, TCP_INFO, &info, &size) == 0;
  if (known && (info.tcpi_state == kSynSent || info.tcpi_state == kSynReceived)) return EINPROGRESS;
  if (known && info.tcpi_state != kClosed) return with_itself(fd_, to_) ? ECONNREFUSED : 0;
  // Our SYN was acknowledged, and a reset came after it.
  if (known && size >= offsetof(tcp_info, tcpi_bytes_acked) + sizeof info.tcpi_bytes_acked && info.tcpi_bytes_acked > 0)
    return 0;
  int error = 0;
  size = sizeof error;
  ::getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size);
  return error == ECONNRESET || error == EPIPE ? 0 : error;
}

}  // namespace retrial::proxy

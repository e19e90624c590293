// What a socket moves to another by way of the kernel alone.
#include <cerrno>

#include "proxy/net/paced.h"
#include "proxy/net/pipe.h"
#include "proxy/net/socket.h"
#include "proxy/net/tls.h"

namespace retrial::proxy {

bool Socket::takes_moved() const { return ready_to_send() && !tls_ && !paced_ && !finished_ && !broken_; }

std::size_t Socket::moved() const { return pipe_->size(); }

Socket::Read Socket::move_to(Socket& to, std::size_t most) {
  if (!to.pipe_) to.pipe_ = Pipe::take();
  if (!to.pipe_ || tls_ || !ready_to_send() || !back_.empty() || rst_told_) return {Got::nothing};
  auto n = to.pipe_->fill(fd_, most);
  bool reset = n < 0 && (errno == ECONNRESET || errno == EPIPE || errno == ETIMEDOUT);
  return n >= 0 || reset ? taken(n) : Read{Got::nothing};
}

// Behind what is queued.
bool Socket::drain_moved() {
  while (pipe_->size() > 0) {
    auto n = pipe_->empty(fd_);
    if (n > 0) {
      passed_ += static_cast<std::size_t>(n);
      continue;
    }
    if (n < 0 && errno != EAGAIN && errno != EINTR) broke();
    return false;
  }
  Pipe::let_go(std::move(pipe_));
  return true;
}

// Something is to be sent behind it: it waits among the rest.
void Socket::keep_moved() {
  pipe_->read_into(queue_.end());
  Pipe::let_go(std::move(pipe_));
}

}  // namespace retrial::proxy

#include "proxy/net/socket.h"

#include <event2/event.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>

namespace retrial::proxy {
namespace {
constexpr std::size_t kBig = 8192;       // from here on a copy costs more than a system call
constexpr std::size_t kKeep = 16 << 10;  // an empty queue keeps no more room than this
}  // namespace

Socket::Socket(Loop& loop, int fd, SocketEvents& events) : loop_(loop), events_(events), fd_(fd) {
  int one = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  read_ = event_new(loop.base(), fd, EV_READ | EV_PERSIST, on_event, this);
  event_add(read_, nullptr);
}
Socket::~Socket() { close(); }

void Socket::on_event(int, short what, void* self) {
  auto& socket = *static_cast<Socket*>(self);
  if (what & EV_WRITE) socket.drain();
  socket.events_.ready(socket);
}

void Socket::listen(bool on) {
  if (on == listens_ || !read_ || ended_) return;
  listens_ = on;
  if (on)
    event_add(read_, nullptr);
  else
    event_del(read_);
}

Socket::Read Socket::read(char* into, std::size_t size) {
  if (!open() || rst_told_) return {Got::nothing};
  auto n = ::recv(fd_, into, size, 0);
  if (n > 0) return {Got::bytes, static_cast<std::size_t>(n)};
  if (n < 0 && (errno == EAGAIN || errno == EINTR) && !broken_) return {Got::nothing};
  if (n < 0 || broken_ || (ended_ && gone())) {  // after a FIN recv says 0 for ever, and hides the reset
    rst_told_ = true;
    drop_events();
    return {Got::rst};
  }
  if (ended_) return {Got::nothing};
  ended_ = true;
  watch_edges();
  return {Got::fin};
}

// A FIN that was read would be told for ever, and a reset may still follow it: from now on only changes are told.
void Socket::watch_edges() {
  bool writes = write_armed_;
  drop_events();
  read_ = event_new(loop_.base(), fd_, EV_READ | EV_PERSIST | EV_ET, on_event, this);
  event_add(read_, nullptr);
  watch_write(writes);
}

void Socket::write(std::string_view bytes) {
  if (bytes.empty() || finished_ || broken_ || !open()) return;
  if (bytes.size() >= kBig && !write_armed_) {
    auto waiting = queued();
    auto done = send(std::string_view(queue_).substr(sent_), bytes);
    sent(std::min(done, waiting));
    bytes.remove_prefix(done - std::min(done, waiting));
    if (broken_) return;
    if (!bytes.empty()) watch_write(true);
  }
  queue_.append(bytes);
}

void Socket::flush() {
  if (!write_armed_) drain();
}

void Socket::drain() {
  if (!open()) return;
  if (queued() > 0 && !broken_) sent(send(std::string_view(queue_).substr(sent_), {}));
  watch_write(queued() > 0);
  if (finished_ && !fin_sent_ && queued() == 0) {
    fin_sent_ = true;
    ::shutdown(fd_, SHUT_WR);
  }
}

std::size_t Socket::send(std::string_view first, std::string_view second) {
  iovec parts[2] = {{const_cast<char*>(first.data()), first.size()}, {const_cast<char*>(second.data()), second.size()}};
  msghdr message{};
  message.msg_iov = first.empty() ? parts + 1 : parts;
  message.msg_iovlen = first.empty() || second.empty() ? 1 : 2;
  auto n = ::sendmsg(fd_, &message, MSG_NOSIGNAL);
  if (n >= 0) return static_cast<std::size_t>(n);
  if (errno == EAGAIN || errno == EINTR) return 0;
  // The peer is gone, but what it had sent before may still be there to be read: read() tells of the reset after it.
  broken_ = true;
  queue_.clear();
  sent_ = 0;
  return 0;
}

void Socket::sent(std::size_t bytes) {
  if (broken_) return;
  sent_ += bytes;
  if (sent_ < queue_.size()) {
    if (sent_ < (queue_.size() >> 1)) return;
    queue_.erase(0, sent_);
  } else if (queue_.capacity() > kKeep) {
    std::string().swap(queue_);
  } else {
    queue_.clear();
  }
  sent_ = 0;
}

void Socket::watch_write(bool on) {
  if (on == write_armed_ || rst_told_) return;
  if (!write_)
    write_ =
        event_new(loop_.base(), fd_, static_cast<short>(EV_WRITE | EV_PERSIST | (ended_ ? EV_ET : 0)), on_event, this);
  write_armed_ = on;
  if (on)
    event_add(write_, nullptr);
  else
    event_del(write_);
}

void Socket::finish() {
  if (finished_) return;
  finished_ = true;
  if (queued() == 0) flush();
}

void Socket::reset() {
  if (!open()) return;
  linger hard{1, 0};
  setsockopt(fd_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  drop_events();
  ::close(fd_);
  fd_ = -1;
}

void Socket::close() {
  if (!open()) return;
  drop_events();
  // Input that is unread when an fd is closed turns the FIN into an RST.
  ::shutdown(fd_, SHUT_WR);
  char bin[4096];
  for (int i = 0; i < 256 && ::recv(fd_, bin, sizeof bin, MSG_DONTWAIT) > 0; i++) {
  }
  ::close(fd_);
  fd_ = -1;
}

bool Socket::gone() const {
  if (!open() || broken_ || rst_told_) return true;
  pollfd p{fd_, 0, 0};
  return ::poll(&p, 1, 0) == 1 && (p.revents & POLLERR);
}

void Socket::drop_events() {
  if (read_) event_free(read_);
  if (write_) event_free(write_);
  read_ = write_ = nullptr;
  write_armed_ = false;
}

}  // namespace retrial::proxy

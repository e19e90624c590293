#include "proxy/net/socket.h"

#include <event2/event.h>
#include <event2/event_struct.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "proxy/net/paced.h"
#include "proxy/net/pipe.h"
#include "proxy/net/tls.h"

namespace retrial::proxy {
namespace {
constexpr std::size_t kBig = 8192;  // from here on a copy costs more than a system call
}  // namespace

Socket::Socket(Loop& loop, int fd, SocketEvents& events, bool connecting)
    : loop_(loop), events_(&events), fd_(fd), connecting_(connecting) {
  int one = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  read_ = event_new(loop.base(), fd, EV_READ | EV_PERSIST, on_event, this);
  watch_read();
  watch_write(connecting);
}
Socket::~Socket() { close(); }

void Socket::on_event(int, short what, void* self) {
  auto& socket = *static_cast<Socket*>(self);
  socket.loop_.callbacks_++;
  if (socket.connecting_) socket.connected();
  if (what & EV_WRITE) socket.drain();
  if (socket.shaking_) {
    socket.shake();
    if (socket.shaking_) return;
  }
  socket.events_->ready(socket);
  if (socket.tls_ && socket.more_inside()) socket.tell_later();
}

void Socket::connected() {
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size);
  // A peer that accepted, and reset at once, was connected to.
  if (error && error != ECONNRESET && error != EPIPE) return fail(std::strerror(error));
  connecting_ = false;
  broken_ = error != 0;
  watch_read();
}

void Socket::fail(std::string why) {
  failed_ = true;
  connecting_ = false;
  failure_ = std::move(why);
  shaking_ = false;
  queue_.clear();
  inside_.clear();
  pipe_.reset();
  end_events();
}

void Socket::hand_to(SocketEvents& events) { events_ = &events; }

void Socket::listen(bool on) {
  if (on == listens_ || ended_) return;
  listens_ = on;
  watch_read();
  if (on && tls_ && more_inside()) tell_later();
  if (!on && later_ && !failed_) later_->cancel();
}

void Socket::watch_read() {
  bool on = (listens_ || shaking_) && !connecting_;
  if (on == read_armed_ || !read_) return;
  read_armed_ = on;
  if (on)
    event_add(read_, nullptr);
  else
    event_del(read_);
}

Socket::Read Socket::read(char* into, std::size_t size) {
  if (failed_) return {std::exchange(failure_told_, true) ? Got::nothing : Got::failed};
  if (!open() || connecting_ || shaking_) return {Got::nothing};
  if (back_.empty() || rst_told_) return tls_ ? read_inside(into, size) : take(into, size);
  auto n = back_.copy(into, size);
  back_.erase(0, n);
  if (back_.empty()) std::string().swap(back_);
  return {Got::bytes, n};
}

void Socket::put_back(std::string_view bytes) { back_.insert(0, bytes); }

// Reads and writes are bare system calls: libc's are cancellation points, which costs where there are threads.
Socket::Read Socket::take(char* into, std::size_t size) {
  if (rst_told_) return {Got::nothing};
  return taken(::syscall(SYS_recvfrom, fd_, into, size, 0, nullptr, nullptr));
}

// What a read of the kernel's said.
Socket::Read Socket::taken(std::ptrdiff_t n) {
  if (n > 0) {
    passed_ += static_cast<std::size_t>(n);
    return {Got::bytes, static_cast<std::size_t>(n)};
  }
  if (n < 0 && (errno == EAGAIN || errno == EINTR) && !broken_) return {Got::nothing};
  if (n < 0 || broken_ || (ended_ && gone())) {  // after a FIN recv says 0 for ever, and hides the reset
    rst_told_ = true;
    end_events();
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
  read_armed_ = true;
  watch_write(writes);
}

void Socket::write(std::string_view bytes) {
  if (bytes.empty() || finished_ || broken_ || failed_ || !open()) return;
  if (tls_) return write_inside(bytes);
  if (pipe_) keep_moved();
  if (bytes.size() >= kBig && !write_armed_ && !paced_) {
    auto waiting = queue_.size();
    auto done = send(queue_.view(), bytes);
    if (broken_) return;
    queue_.drop(std::min(done, waiting));
    bytes.remove_prefix(done - std::min(done, waiting));
    if (!bytes.empty()) watch_write(true);
  }
  queue_.end().append(bytes);
}

void Socket::drain() {
  if (!open() || connecting_ || failed_) return;
  if (tls_) return drain_inside();
  auto size = allowed(queue_.size());
  if (size > 0) {
    auto done = send(queue_.view().substr(0, size), {});
    if (broken_) return;
    if (paced_) paced_->pace.spend(done);
    queue_.drop(done);
    size -= done;
  }
  bool all = queue_.empty() ? !pipe_ || drain_moved() : size == 0;
  if (!broken_) after_drain(!all);
}

void Socket::after_drain(bool full) {
  watch_write(full);  // the kernel's buffer is
  if (paced_ && queued() > 0 && !write_armed_) paced_->timer.set(paced_->pace.wait(queued()), Time::client);
  if (finished_ && !fin_sent_ && queued() == 0) {
    fin_sent_ = true;
    ::shutdown(fd_, SHUT_WR);
  }
}

std::size_t Socket::allowed(std::size_t size) {
  if (!paced_) return size;
  return std::min<std::uint64_t>(size, paced_->pace.may(loop_.client_now()));
}

void Socket::pace(std::uint64_t bytes_per_second, std::uint64_t burst) {
  paced_.reset();
  if (bytes_per_second > 0) pace_by(Pace(bytes_per_second, burst, loop_.client_now()));
  flush();
}
void Socket::drip(std::uint64_t bytes, Nanos every) { pace_by(Pace::drip(bytes, every, loop_.client_now())); }
void Socket::pace_by(const Pace& pace) {
  if (pipe_) keep_moved();
  paced_.reset(new Paced{pace, Timer(loop_, [this] {
                           drain();
                           events_->ready(*this);
                         })});
}

bool Socket::paced_out() const { return paced_ && paced_->timer.in_client_time(); }

std::size_t Socket::send(std::string_view first, std::string_view second) {
  iovec parts[2] = {{const_cast<char*>(first.data()), first.size()}, {const_cast<char*>(second.data()), second.size()}};
  msghdr message{};
  message.msg_iov = first.empty() ? parts + 1 : parts;
  message.msg_iovlen = first.empty() || second.empty() ? 1 : 2;
  auto n = ::syscall(SYS_sendmsg, fd_, &message, MSG_NOSIGNAL);
  if (n >= 0) {
    passed_ += static_cast<std::size_t>(n);
    return static_cast<std::size_t>(n);
  }
  if (errno != EAGAIN && errno != EINTR) broke();
  return 0;
}

// The peer is gone, but what it had sent before may still be there to be read: read() tells of the reset after it.
void Socket::broke() {
  broken_ = true;
  queue_.clear();
  inside_.clear();
  pipe_.reset();
  watch_write(false);
}

void Socket::watch_write(bool on) {
  if (on == write_armed_ || rst_told_ || failed_) return;
  if (!write_)
    write_ =
        event_new(loop_.base(), fd_, static_cast<short>(EV_WRITE | EV_PERSIST | (ended_ ? EV_ET : 0)), on_event, this);
  write_armed_ = on;
  if (on)
    event_add(write_, nullptr);
  else
    event_del(write_);
}

void Socket::watch_peer(int seconds) {
  int on = 1, most = 3;
  setsockopt(fd_, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(fd_, IPPROTO_TCP, TCP_KEEPIDLE, &seconds, sizeof seconds);
  setsockopt(fd_, IPPROTO_TCP, TCP_KEEPINTVL, &seconds, sizeof seconds);
  setsockopt(fd_, IPPROTO_TCP, TCP_KEEPCNT, &most, sizeof most);
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
  end_events();
  ::close(fd_);
  fd_ = -1;
}

void Socket::close() {
  if (!open()) return;
  end_events();
  if (tls_ && queue_.empty() && !shaking_) {
    tls_->notify(queue_.end());
    if (!queue_.empty()) send(queue_.view(), {});
  }
  // Input that is unread when an fd is closed turns the FIN into an RST.
  ::shutdown(fd_, SHUT_WR);
  char bin[4096];
  for (int i = 0; i < 256 && ::recv(fd_, bin, sizeof bin, MSG_DONTWAIT) > 0; i++) {
  }
  ::close(fd_);
  fd_ = -1;
}

std::size_t Socket::holds() const {
  constexpr std::size_t kTls = 40u << 10;  // of OpenSSL a connection, about
  return queue_.holds() + inside_.holds() + back_.capacity() + records_.capacity() + (tls_ ? kTls : 0);
}

bool Socket::gone() const {
  if (!open() || broken_ || rst_told_ || failed_) return true;
  pollfd p{fd_, 0, 0};
  return ::poll(&p, 1, 0) == 1 && (p.revents & POLLERR);
}

std::size_t Socket::peek(char* into, std::size_t size) {
  auto got = recv(fd_, into, size, MSG_PEEK | MSG_DONTWAIT);
  if (got < 0 && errno != EAGAIN && errno != EINTR) broken_ = true;  // the kernel tells of a reset once
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

bool Socket::silent() const {
  bool heard = read_ && (read_->ev_evcallback.evcb_flags &
                         (EVLIST_ACTIVE | EVLIST_ACTIVE_LATER));  // in this round, and not yet told
  return !heard && ready_to_send() && !ended_ && !broken_ && !rst_told_ && back_.empty() && records_.empty() &&
         !(tls_ && more_inside());
}

void Socket::drop_events() {
  if (read_) event_free(read_);
  if (write_) event_free(write_);
  read_ = write_ = nullptr;
  read_armed_ = write_armed_ = false;
}

void Socket::end_events() {
  drop_events();
  paced_.reset();
  later_.reset();
}

}  // namespace retrial::proxy

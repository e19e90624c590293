#include "proxy/capture/dials.h"

#include <event2/event.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace retrial::proxy::capture {

#ifndef IP_BIND_ADDRESS_NO_PORT
#define IP_BIND_ADDRESS_NO_PORT 24
#endif

struct Dials::Dial {
  int fd = -1;
  Address to;
  std::optional<Address> from;
  Nanos limit = 0;
  int anew = 0;  // how often
  ConnectPtr connect;
  std::unique_ptr<Watch> watch;
  std::unique_ptr<Timer> timer;
  ~Dial() {
    watch.reset();
    if (fd >= 0) close(fd);
  }
};

Dials::Dials(Loop& loop, std::function<void(ConnectPtr, Outcome)> over) : loop_(loop), over_(std::move(over)) {}
Dials::~Dials() = default;

int pending_error(int fd) {
  int error_number = 0;
  socklen_t size = sizeof error_number;
  return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error_number, &size) == 0 ? error_number : errno;
}
bool has_come(int fd) {
  pollfd out{fd, POLLOUT, 0};
  return poll(&out, 1, 0) == 1;
}

int begin_dial(const Address& to, const std::optional<Address>& from) {
  const int fd = socket(to.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;
  if (fd < 0) return -1;
  if (from) setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
  if ((!from || bind(fd, from->get(), from->size()) == 0) &&
      (::connect(fd, to.get(), to.size()) == 0 || errno == EINPROGRESS))
    return fd;
  const int error_number = errno;
  close(fd);
  errno = error_number;
  return -1;
}

void Dials::begin(ConnectPtr connect, const Address& to, const std::optional<Address>& from) {
  auto dial = std::make_unique<Dial>();
  dial->fd = begin_dial(to, from);
  if (dial->fd < 0) return over_(std::move(connect), {-1, errno, false});
  // On loopback the handshake is over by now.
  if (has_come(dial->fd)) {
    if (const int error_number = pending_error(dial->fd)) return over_(std::move(connect), {-1, error_number, false});
    answered_.insert(to.show());
    return over_(std::move(connect), {std::exchange(dial->fd, -1), 0, false});
  }
  const ino_t inode = connect->socket.inode;
  const auto known = limits_.find(to.show());
  dial->to = to;
  dial->from = from;
  dial->limit = known == limits_.end() ? kFirstLimit : known->second;
  dial->connect = std::move(connect);
  watch(*dial, inode);
  dial->timer = std::make_unique<Timer>(loop_, [this, inode] { timed_out(inode); });
  dial->timer->set(dial->limit);
  dials_[inode] = std::move(dial);
}

void Dials::watch(Dial& dial, ino_t inode) {
  dial.watch = std::make_unique<Watch>(loop_, dial.fd, EV_WRITE, [this, inode](short) { ready(inode); });
}

// False: it cannot be.
bool Dials::dial_anew(Dial& dial, ino_t inode) {
  if (dial.anew++ >= kAnew || !answered_.contains(dial.to.show())) return false;
  const int fd = begin_dial(dial.to, dial.from);
  if (fd < 0) return false;
  dial.watch->off();
  close(std::exchange(dial.fd, fd));
  watch(dial, inode);
  dial.timer->set(dial.limit);
  return true;
}

Connect* Dials::running(ino_t inode) const {
  const auto found = dials_.find(inode);
  return found == dials_.end() ? nullptr : found->second->connect.get();
}

void Dials::take_over(ConnectPtr connect) {
  auto& dial = *dials_.at(connect->socket.inode);
  connect->fault = dial.connect->fault;
  dial.connect = std::move(connect);
}

void Dials::ready(ino_t inode) {
  auto& dial = *dials_.at(inode);
  const int error_number = pending_error(dial.fd);
  if (!error_number) answered_.insert(dial.to.show());
  finish(inode, error_number ? Outcome{-1, error_number, false} : Outcome{std::exchange(dial.fd, -1), 0, false});
}

void Dials::timed_out(ino_t inode) {
  auto& dial = *dials_.at(inode);
  if (has_come(dial.fd)) return ready(inode);
  if (dial_anew(dial, inode)) return;
  limits_[dial.to.show()] = std::min(2 * dial.limit, kLastLimit);
  finish(inode, {-1, ETIMEDOUT, true});
}

void Dials::finish(ino_t inode, Outcome outcome) {
  auto node = dials_.extract(inode);
  auto dial = std::move(node.mapped());
  dial->watch->off();
  if (outcome.service < 0) close(std::exchange(dial->fd, -1));
  auto connect = std::move(dial->connect);
  dial.reset();
  over_(std::move(connect), outcome);
}

}  // namespace retrial::proxy::capture

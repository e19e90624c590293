#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "proxy/capture/redirect.h"

namespace retrial::proxy::capture {
namespace {
// The handshake is between this very thread's kernel half and a listener of ours: it ends within the call.
int connect_duplicate(int fd, const Address& name) {
  if (connect(fd, name.get(), name.size()) == 0) return 0;
  if (errno != EINTR) return errno;
  pollfd ready{fd, POLLOUT, 0};
  while (poll(&ready, 1, 1000) < 0 && errno == EINTR) {
  }
  return 0;
}

class ByGetfd final : public Redirect {
 public:
  explicit ByGetfd(const RedirectParts& parts) : parts_(parts) {}

  void redirect(ConnectPtr connect, int service) override {
    auto& notice = *connect->notice;
    if (!notice.alive()) {
      close(service);
      return gone(notice);
    }
    const auto name = parts_.names.give({service, connect->written, connect->socket.inode, connect->process,
                                         connect->notice->thread(), 0, connect->fault});
    if (!name) {
      close(service);
      return unable(*connect);
    }
    const int error_number = connect_duplicate(connect->socket.duplicate, *name);
    if (error_number && error_number != EINPROGRESS) {
      parts_.names.withdraw(*name);
      return unable(*connect);
    }
    // Before the answer: getpeername may be the client's very next call.
    parts_.sockets.redirected[connect->socket.inode] = {reached(connect->written)};
    ++parts_.ledger.counts().seen;
    if (!notice.answer(0, error_number)) gone(notice);  // its socket closes, or its next connect finds it among ours
    parts_.names.accept_waiting();
  }

  void pass(ConnectPtr connect) override {
    if (!connect->notice->pass()) gone(*connect->notice);
  }

  // The duplicate is made to connect without waiting. Where the client's call waits it goes on in the kernel, which
  // finds the connect under way.
  void mislead(ConnectPtr connect, const Address& dead_end, Done done) override {
    auto& notice = *connect->notice;
    if (!notice.alive()) {
      done(*connect, "its client was gone");
      return gone(notice);
    }
    const int duplicate = connect->socket.duplicate, flags = fcntl(duplicate, F_GETFL);
    if (!connect->socket.non_blocking) fcntl(duplicate, F_SETFL, flags | O_NONBLOCK);
    const int error_number = connect_duplicate(duplicate, dead_end);
    if (!connect->socket.non_blocking) fcntl(duplicate, F_SETFL, flags);
    if (error_number != EINPROGRESS && error_number != ECONNREFUSED) {
      done(*connect, "its socket could not be redirected");
      return unable(*connect);
    }
    done(*connect, {});
    const bool heard = connect->socket.non_blocking ? notice.answer(0, error_number) : notice.pass();
    if (!heard) gone(notice);
  }

 private:
  // The socket refuses the name (it is bound to another device, say).
  void unable(const Connect& connect) {
    parts_.ledger.unreadable(connect.written, "its socket could not be redirected");
    connect.notice->pass();
  }
  void gone(const Notice& notice) {
    if (!parts_.killable && kill(notice.thread(), 0) == 0) ++parts_.ledger.counts().interrupted;
  }

  RedirectParts parts_;
};
}  // namespace

std::unique_ptr<Redirect> redirect_by_getfd(const RedirectParts& parts) { return std::make_unique<ByGetfd>(parts); }

}  // namespace retrial::proxy::capture

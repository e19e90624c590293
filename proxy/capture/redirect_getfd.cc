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
    const auto name = parts_.names.give({service, connect->written, connect->socket.inode, connect->process});
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

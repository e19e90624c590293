#pragma once
#include "proxy/capture/dials.h"
#include "proxy/capture/misled.h"
#include "proxy/capture/natives.h"
#include "proxy/capture/redirect.h"
#include "proxy/capture/tree.h"

namespace retrial::proxy::capture {

// Decides what becomes of each connect() of the tree.
//   what it is                                             | answer                   | counted as
//   AF_UNIX; UDP and other sockets                         | passes                   | unix_socket; udp
//   no socket, a bad or too short address, another family  | passes: an errno is due  | -
//   memory or socket of another user                       | passes                   | unreadable
//   AF_UNSPEC                                              | passes, socket forgotten | -
//   a socket that has begun to connect                     | passes, never dialled    | -
//   neither loopback nor private; another network namespace | passes                  | outside
//   a fault of the connect meets it                        | misled (misled.h)        | seen, once it is answered
//   the dial fails; is late                                | passes                   | failed; late
//   the dial succeeds                                      | redirected               | seen
class Connects {
 public:
  // `arrived`: a client that was answered late, and the claim it has.
  Connects(Loop& loop, const Clock& clock, Way way, const RedirectParts& parts, TreeEvents& events,
           std::function<void(int client, const Claim&)> arrived);
  Connects(const Connects&) = delete;
  void trapped(std::unique_ptr<Notice> notice);
  Nanos unanswered_since() { return misled_.unanswered_since(); }
  bool dialling() const { return misled_.dialling(); }
  std::string native_open(pid_t root) { return natives_.open(root); }

 private:
  enum class Next { pass, dial, done };
  Next decide(const ConnectPtr& connect);
  bool read(Connect& connect);  // false: it is the kernel's matter
  Next again(const ConnectPtr& connect);
  void dialled(ConnectPtr connect, Dials::Outcome outcome);

  Way way_;
  RedirectParts parts_;
  TreeEvents& events_;
  std::unique_ptr<Redirect> redirect_;
  Misled misled_;
  Natives natives_;
  Dials dials_;
};

}  // namespace retrial::proxy::capture

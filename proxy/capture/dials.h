#pragma once
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "proxy/capture/connect.h"
#include "proxy/net/loop.h"

namespace retrial::proxy::capture {

// A non-blocking socket whose connect to `to` has begun, from `from` where it is given; -1 with errno.
int begin_dial(const Address& to, const std::optional<Address>& from);
// Of a socket: its connect is over, well or not. 0 or an errno: how.
bool has_come(int fd);
int pending_error(int fd);

// The service is dialled before the client is answered, within a limit that grows for an address that is further away.
//   state    | event                            | does                                              | then
//   -        | begin                            | dials                                             | dialling, or over
//   dialling | connected                        | connected                                         | over
//   dialling | refused, unreachable ...         | failed                                            | over
//   dialling | the limit has passed in SYN_SENT, | dials anew, and withdraws the other: a service whose | dialling
//            | and it has answered before       | queue was full hears the kernel's next one after 1 s |
//   dialling | the same kAnew times, or it never has | withdraws it: no service sees it; doubles the limit | over: late
//   dialling | take_over                        | the outcome goes to the new notification          | dialling
class Dials {
 public:
  struct Outcome {
    int service = -1;      // connected; the receiver owns it
    int error_number = 0;  // else why not
    bool late = false;
  };
  Dials(Loop& loop, std::function<void(ConnectPtr, Outcome)> over);
  ~Dials();  // withdraws all
  Dials(const Dials&) = delete;

  // `from`: source address to be used, or nothing. Dials run side by side.
  void begin(ConnectPtr connect, const Address& to, const std::optional<Address>& from);
  // The connect whose dial for this socket runs, or null.
  Connect* running(ino_t inode) const;
  void take_over(ConnectPtr connect);

  static constexpr Nanos kFirstLimit = 20 * kMillisecond;  // a longer one would hold back signals and SO_SNDTIMEO
  static constexpr Nanos kLastLimit = 250 * kMillisecond;
  static constexpr int kAnew = 20;

 private:
  struct Dial;
  void ready(ino_t inode);
  void timed_out(ino_t inode);
  bool dial_anew(Dial& dial, ino_t inode);
  void watch(Dial& dial, ino_t inode);
  void finish(ino_t inode, Outcome outcome);

  Loop& loop_;
  std::function<void(ConnectPtr, Outcome)> over_;
  std::unordered_map<ino_t, std::unique_ptr<Dial>> dials_;  // by the client's socket
  std::unordered_map<std::string, Nanos> limits_;           // where they are not the first
  std::unordered_set<std::string> answered_;                // addresses
};

}  // namespace retrial::proxy::capture

#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>

#include "base/clock.h"
#include "proxy/capture/connect.h"
#include "proxy/capture/names.h"
#include "proxy/capture/redirect.h"
#include "proxy/capture/tree.h"
#include "proxy/net/loop.h"

namespace retrial::proxy::capture {

// Connects that meet refuse-connect, connect-timeout or slow-connect. The client is sent to a dead end, and its call
// and its socket behave as the kernel has them; nothing of ours waits for it.
//   state     | event                              | does                                      | then
//   -         | begin: refuse-connect              | sends it to a refusing end                | over
//   -         | begin: connect-timeout             | sends it to a silent one                  | silent
//   silent    | the client is seen to have given up |                                          | over
//   -         | begin: slow-connect                | sends it to a silent one                  | waiting
//   waiting   | the time is up                     | dials the service                         | dialling
//   waiting   | the same, the client has not begun | looks again                               | waiting
//   waiting   | the same, the client has given up  |                                           | over
//   dialling  | connected                          | answers the client's SYN                  | answering
//   dialling  | refused, unreachable, late         | the same                                  | answering
//   answering | connected                          | arrived; without a service: RST           | over
//   answering | it cannot be answered now          | looks again, without another dial         | waiting
//   answering | refused: the client has given up   |                                           | over
// By rewrite a client that was let go on begins when its thread gets to run, which may be long after its time is up.
class Misled {
 public:
  Misled(Loop& loop, const Clock& clock, const RedirectParts& parts, Redirect& redirect, TreeEvents& events,
         std::function<void(int client, const Claim&)> arrived);
  ~Misled();
  Misled(const Misled&) = delete;

  static bool is_for(const trace::FaultSpec& fault);
  // connect->fault is for us. `from`: source address for the dial, or nothing.
  void begin(ConnectPtr connect, const std::optional<Address>& from);
  // Since when the oldest silent one waits; 0: none does. Looks into the kernel's table, at most once a second.
  Nanos unanswered_since();
  bool dialling() const;  // a slow one's time is up, and its client not yet answered

 private:
  struct Slow;
  struct Silent;
  void wait(const Connect& connect, const Address& silent, const std::optional<Address>& from);
  void due(Slow& slow);
  void look_again(Slow& slow);
  void dial(Slow& slow);
  void heard(Slow& slow);
  void dialled(Slow& slow, int service);
  void answer(Slow& slow);
  void answered(Slow& slow);
  void over(Slow& slow);
  const std::unordered_map<ino_t, Address>& waiting(Nanos since);

  Loop& loop_;
  const Clock& clock_;
  RedirectParts parts_;
  Redirect& redirect_;
  TreeEvents& events_;
  std::function<void(int, const Claim&)> arrived_;
  std::unordered_map<ino_t, std::unique_ptr<Slow>> slow_;  // by the client's socket
  std::unordered_map<ino_t, Silent> silent_;               // likewise
  Nanos looked_ = 0;
  std::unordered_map<ino_t, Address> waiting_;  // unanswered(), as it was at read_
  Nanos read_ = 0, reading_ = 0;
};

}  // namespace retrial::proxy::capture

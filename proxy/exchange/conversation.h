#pragma once
#include <cstddef>

#include "base/clock.h"

namespace retrial::proxy {

inline constexpr Nanos kLinger = 5 * kSecond;  // how long what comes after our FIN is thrown away (RFC 9112 9.6)
// An answer of unknown length that has not ended so long after its head is one without an end: an event stream, a
// watch. So is a request that is to be read whole before something is done to it.
inline constexpr Nanos kEndless = kSecond;

// A client connection whose exchanges pass (Session: HTTP/1 and tunnels; H2Session: HTTP/2), as the house sees it.
class Conversation {
 public:
  virtual ~Conversation() = default;
  virtual void start() = 0;           // once it stands in the house
  virtual void end_run() = 0;         // the run is over: open exchanges are recorded as such
  virtual void check(Nanos now) = 0;  // time-outs
  virtual void drain() = 0;

  virtual std::size_t open() const = 0;  // exchanges that have begun and whose client is not yet told
  virtual std::size_t held() const = 0;  // of these, how many a fault of ours holds
  // Exchanges, or a tunnel, that may go on without the client: the service has the word, or the network. What only a
  // fault's time holds is none of them.
  virtual std::size_t awaited() const = 0;
  // Since when the first of those that are held for ever was left untouched; 0: none is.
  virtual Nanos held_since() const = 0;
  std::size_t slot = 0;  // in House::conversations
};

}  // namespace retrial::proxy

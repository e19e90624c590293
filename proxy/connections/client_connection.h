#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/clock.h"

namespace retrial::proxy {

inline constexpr Nanos kLinger = 5 * kSecond;  // how long what comes after our FIN is thrown away (RFC 9112 9.6)

// A connection of a client, in one of its forms: ConnectionSetup (until it is known what it speaks), H1Client,
// H2Client, Tunnel. The context owns it; it ends by Connections::ended.
class ClientConnection {
 public:
  virtual ~ClientConnection() = default;
  virtual void start() = 0;           // once it stands in the context
  virtual void check(Nanos now) = 0;  // time-outs
  virtual void drain() = 0;           // ends once nothing is under way; at once where nothing is
  virtual void end_run() {}           // the run is over: open exchanges are recorded as such

  virtual std::size_t open() const { return 0; }  // exchanges that have begun and whose client is not yet told
  virtual std::size_t held() const { return 0; }  // of these, how many a fault of ours holds
  // Exchanges, or a tunnel, that may go on without the client: the service has the word, or the network. What only a
  // fault's time holds is none of them.
  virtual std::size_t awaited(Nanos now) const = 0;
  // Of these, answers of unknown length that are under way: the service says more when it has more to say.
  virtual std::size_t streaming() const { return 0; }
  // Since when the first of those that are held for ever was left untouched; 0: none is.
  virtual Nanos held_since() const { return 0; }
  virtual std::size_t waiting() const = 0;  // bytes in it that whoever they are for has not taken yet
  virtual std::size_t holds() const = 0;    // bytes of memory, about: also of what it has told and keeps
  virtual std::uint64_t moved() const = 0;  // bytes of its client's socket so far, both ways
  // Ends it at once, by 503, ENHANCE_YOUR_CALM or RST, as far as the client can still be told. Never from within one of
  // its own events.
  virtual void shed(std::string_view why) = 0;

  // For how long next to nothing has moved; kept by Connections::sweep.
  struct Still {
    std::uint64_t moved = 0;  // when it was last looked at; and at `since`
    std::uint64_t before = 0;
    Nanos since = 0;
  } still;
  std::size_t slot = 0;  // in Connections::connections
};

}  // namespace retrial::proxy

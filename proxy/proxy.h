#pragma once
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "base/clock.h"
#include "proxy/exchange/director.h"
#include "proxy/net/address.h"
#include "proxy/net/loop.h"

namespace retrial::proxy {

// A client connection with the service connection that was dialled for it. Both fds non-blocking, owned by whoever
// holds this.
struct Captured {
  int client = -1;
  int service = -1;
  Address original;  // what the client meant to reach
  pid_t pid = 0;     // who connected
};

struct Options {
  bool keep_tags = false;                 // leave the agents' headers in the request
  std::size_t head_limit = 256u << 10;    // bytes of a head that is still read; beyond it the connection is a tunnel
  std::size_t buffer_limit = 256u << 10;  // bytes held for a slow side before the other is no longer read
};

// Forwards, faults and records. One loop thread owns it and all it holds. One service connection a client connection,
// never shared, kept open as long as the service keeps it. Nothing of it waits for the client while the service may
// need the client's thread.
class Proxy {
 public:
  Proxy(Loop& loop, const Clock& clock, Director& director, Recorder& recorder, Options options = {});
  ~Proxy();  // ends every connection; open exchanges are recorded as such
  Proxy(const Proxy&) = delete;

  void take(Captured connection);

  std::size_t open_exchanges() const;  // begun, and the client not yet told
  std::size_t held_exchanges() const;  // of these, how many a fault of ours holds
  Nanos last_activity() const;         // clock's now of the last byte or connection
  Nanos longest_gap() const;           // longest time without any byte so far
  Nanos held_since() const;       // since when the oldest exchange that is held for ever was left untouched; 0: none
  std::uint64_t tunnels() const;  // connections that were no HTTP/1

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace retrial::proxy

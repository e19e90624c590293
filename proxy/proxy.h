#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "proxy/exchange/director.h"
#include "proxy/exchange/options.h"
#include "proxy/net/loop.h"
#include "trace/run.h"

namespace retrial::proxy {

// Forwards, faults and records. One loop thread owns it and all it holds. Nothing of it waits for the client while the
// service may need the client's thread.
class Proxy {
 public:
  Proxy(Loop& loop, const Clock& clock, Director& director, Recorder& recorder, Options options = {});
  ~Proxy();  // ends every connection; open exchanges are recorded as such
  Proxy(const Proxy&) = delete;

  bool has_room();  // for one more client, perhaps in the place of others that are still (Options::most_connections)
  void take(Captured connection);
  void take(Incoming connection);
  // A connection that a fault has met before it came here, or (`not_fired` says why) one whose fault has nothing to
  // strike.
  void met(const std::string& service, pid_t pid, const trace::FaultSpec& fault, std::string_view not_fired = {});

  // From now on idle client connections are closed, and the others after the answer that is under way.
  void drain();

  // Ends every connection, now: an answer that is under way must not look whole, whatever ends it.
  void cut();

  // Ends what the clock says is over time. Done by itself twice a second.
  void sweep();

  std::size_t connections() const;     // of clients, now
  std::size_t open_exchanges() const;  // begun, and the client not yet told
  std::size_t held_exchanges() const;  // of these, how many a fault of ours holds
  // Exchanges, tunnels and new connections that may go on while the client does nothing: what only a fault's time
  // holds, or what is idle, is none of them.
  std::size_t awaited() const;
  std::size_t streaming() const;  // of these, answers of unknown length that are under way
  Nanos last_activity() const;  // clock's now of the last byte or connection
  Nanos longest_gap() const;    // longest time without any byte so far
  std::size_t waiting() const;  // bytes that whoever they are for has not taken yet
  Nanos held_since() const;     // since when the oldest exchange that is held for ever was left untouched; 0: none
  // Ends the clients' connections with exchanges that were left untouched since then or longer.
  void give_up_held(Nanos since);
  const Counts& counts() const;
  const std::vector<trace::ConnectionFault>& connection_faults() const;  // that have fired, or could not
  std::uint64_t tunnels() const { return counts().tunnels; }

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace retrial::proxy

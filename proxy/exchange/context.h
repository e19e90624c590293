#pragma once
#include <set>

#include "proxy/exchange/director.h"
#include "proxy/exchange/options.h"
#include "proxy/faults/connection.h"
#include "proxy/faults/earlier.h"
#include "proxy/net/loop.h"

namespace retrial::proxy {

// What the exchanges of one proxy share. Loop thread only.
struct Context {
  Loop& loop;
  const Clock& clock;
  Director& director;
  Recorder& recorder;
  Options options;

  Counts counts = {};
  Earlier earlier = {};
  ConnectionFaults connection_faults = {};
  Nanos now = 0;  // of the event that is being handled
  Nanos last_activity = 0;
  Nanos longest_gap = 0;
  bool draining = false;
  Nanos draining_since = 0;
  // What is idle is closed now. Until then its next request is answered, and told that it was the last: one that was on
  // its way when a FIN set out would be lost.
  bool drains_idle() const { return draining && now - draining_since >= options.drain_grace; }

  void wake() {  // an event begins
    now = clock.now();
    if (last_activity != 0) longest_gap = std::max(longest_gap, now - last_activity);
    last_activity = now;
  }
  std::uint64_t next_connection() { return step(counts.connections); }
  std::uint64_t next_exchange() { return step(exchanges); }
  void say(const std::string& line) const {
    if (options.say) options.say(line);
  }
  std::uint64_t step(std::uint64_t& counter) const { return options.first_id + counter++ * options.id_step; }
  std::uint64_t exchanges = 0;
  std::set<pid_t> ended = {};  // processes, by a fault: what still comes of them goes nowhere
};

}  // namespace retrial::proxy

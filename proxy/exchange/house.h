#pragma once
#include <memory>
#include <vector>

#include "proxy/proxy.h"

namespace retrial::proxy {

class Session;

// What the sessions of one proxy share.
struct House {
  House(Loop& loop, const Clock& clock, Director& director, Recorder& recorder, Options options);
  ~House();

  Loop& loop;
  const Clock& clock;
  Director& director;
  Recorder& recorder;
  Options options;

  std::vector<std::unique_ptr<Session>> sessions;
  std::vector<char> scratch = std::vector<char>(64 << 10);  // what was just read, by whichever session runs
  std::uint64_t connections = 0;
  std::uint64_t exchanges = 0;
  Counts counts;
  Nanos last_activity = 0;
  Nanos longest_gap = 0;

  void active(Nanos now);
  void ended(Session& session);  // it is dead: takes it out, and has the loop delete it
};

}  // namespace retrial::proxy

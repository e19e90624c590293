#pragma once
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>

#include "base/clock.h"

namespace retrial::campaign {

// The TCP ports that a process listens at, at any address of its network namespace. Of one that we may not look into:
// none.
std::set<std::uint16_t> ports_of(pid_t process);

// Does `root`, or a process that descends from it, listen at this TCP port?
bool listens_below(pid_t root, std::uint16_t port);

// Which processes of a tree are services, and no clients: they listen, and connect to nothing but themselves.
class Servers {
 public:
  explicit Servers(const Clock& real) : real_(real) {}
  void connected(pid_t process, std::uint16_t port);
  bool only_serves(pid_t process);
  bool has_connected(pid_t process) const { return connected_.contains(process); }
  // A process that descended from it as it connected.
  bool started_a_client(pid_t process) const { return above_.contains(process); }

 private:
  struct Known {
    bool yes = false;
    Nanos asked = 0,
          pause = 0;  // real time; a process that does not listen yet is asked again after ever longer pauses
  };
  const Clock& real_;
  std::map<pid_t, std::set<std::uint16_t>> connected_;  // the ports that each has connected to
  std::set<pid_t> above_;                               // of those that have
  std::map<pid_t, Known> known_;
};

}  // namespace retrial::campaign

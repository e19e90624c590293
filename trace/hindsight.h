#pragma once
#include <unordered_map>
#include <vector>

#include "trace/correlator_keys.h"

namespace retrial::trace {

// What only a whole run shows of one request (its place and content).
class Hindsight {
 public:
  explicit Hindsight(const std::vector<const Exchange*>& by_time);

  // No two of these requests were ever under way at once, and none came after a success: what follows a failure can
  // hardly be anything but its retry.
  bool alone(const Exchange& e) const;
  // Place and content; 0 where the content is not known.
  static Key key_of(const Exchange& e);

 private:
  struct Seen {
    Nanos until = 0;    // the last of them that were begun was told
    Nanos success = 0;  // the first success was told
    bool alone = true;
  };
  std::unordered_map<Key, Seen> seen_;
};

}  // namespace retrial::trace

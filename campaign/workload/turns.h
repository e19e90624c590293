#pragma once
#include <map>
#include <string>
#include <vector>

#include "scan/candidates.h"
#include "trace/comparing/comparison.h"

namespace retrial::campaign {

// What one function asks for again may be its next thing's turn, as its source says (scan/candidates.h): then it is a
// call of its own, and no attempt; not where an id of the request names the call (certain). Sources are read once, from
// the current directory, as they are needed.
class Turns {
 public:
  // Calls whose attempts are of several turns are parted: those of each turn are a call.
  void part(trace::Run& run);

 private:
  bool has_turns(const trace::Frame& at);
  bool are_turns(const trace::Call& call);
  std::map<std::string, std::vector<scan::Stretch>> loops_;  // by file
};

}  // namespace retrial::campaign

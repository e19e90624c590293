#pragma once
#include <map>
#include <string>
#include <vector>

#include "scan/candidates.h"
#include "trace/comparing/comparison.h"

namespace retrial::campaign {

// What one function asks for again may be its next thing's turn, as its source says (scan/candidates.h): then it is a
// call of its own, and no attempt. Sources are read once, from the current directory, as they are needed.
class Turns {
 public:
  // Calls whose attempts are turns are parted: each is a call of one attempt.
  void part(trace::Run& run);

 private:
  bool has_turns(const trace::Frame& at);
  std::map<std::string, std::vector<scan::Stretch>> loops_;  // by file
};

}  // namespace retrial::campaign

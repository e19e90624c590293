#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "trace/run.h"

// What an application asks before it writes, and does not write where that is there already.
namespace retrial::oracles {

// Read off the tests' runs without faults: of each call site and operation that reads, what is written afterwards about
// the very thing that was looked up. The test in which nothing is written is most often another than the one that
// shows the write.
class Guards {
 public:
  void learn(const trace::Run& run);
  // What this read may keep from being written, as write_key; sorted.
  std::vector<std::string> kept_by(const trace::Exchange& read) const;

 private:
  std::map<std::string, std::set<std::string>, std::less<>> writes_;  // by the read's key
};

// A call site and what it asks for there. Empty: its call site is not known.
std::string write_key(const trace::Exchange& e);

// What the request names: the parts of its path and the values of its body's members; sorted.
std::vector<std::string> named_in(const trace::Exchange& e);

}  // namespace retrial::oracles

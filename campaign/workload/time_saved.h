#pragma once
#include <set>
#include <string>

#include "trace/run.h"

namespace retrial::campaign {

// How much of clients' waiting took no time, over some runs.
class TimeSaved {
 public:
  void add(const trace::Run& run);
  // One line for the reader; empty: nothing was jumped over, and no process is named whose clock could not be moved.
  std::string line() const;

 private:
  std::size_t runs_ = 0, compressed_ = 0;
  Nanos by_ = 0;
  std::set<std::string> real_time_;  // without the process's number: each run has its own
};

}  // namespace retrial::campaign

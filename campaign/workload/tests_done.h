#pragma once
#include <filesystem>
#include <set>
#include <string>

#include "campaign/workload/events.h"

namespace retrial::campaign {

// How many tests of a run that is under way have a result, for who waits for it: read from its events file beside the
// run itself, in the campaign's process. Without agents: 0.
class TestsDone {
 public:
  explicit TestsDone(std::filesystem::path events) : events_(std::move(events)) {}
  std::size_t count();  // so far

 private:
  Events events_;
  std::set<std::string> tests_;
};

}  // namespace retrial::campaign

#pragma once
#include <map>

#include "campaign/planning/targets.h"
#include "trace/calls/lessons.h"

namespace retrial::campaign {

// Which targets are reads that a test sends again and again, as a poll does. Each look is a call of its own.
class Looks {
 public:
  // Three times and more the very same; or twice, where the run shows it to be a poll (docs/decisions/0007): one after
  // the other, both answered well, and seen to be answered otherwise.
  bool again(const Found& found);
  // The run shows it to be a poll at one of its places.
  bool polled(const Found& found);

 private:
  bool at_poll(const trace::Run& reference, const trace::Exchange& exchange);

  std::map<const trace::Run*, trace::Lessons> lessons_;
};

}  // namespace retrial::campaign

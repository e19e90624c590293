#pragma once
#include "base/clock.h"
#include "campaign/workload/execution.h"

namespace retrial::campaign {

// Has a faulted call gone on for longer than any oracle looks, so that its run is to be ended (Stop::capped)? By the
// number of its attempts, but not before `looks_limit` where it does little but wait, and its waits pass at once; by
// its time; by a request that is sent in vain whether it meets a fault or not. All must outlive it.
class AttemptLimit {
 public:
  AttemptLimit(const RunSpec& spec, const Clock& client, const Clock& real)
      : spec_(spec), client_(client), real_(real) {}

  // `attempts`: of the faulted call that has most; never fewer than before. `in_vain`: CampaignDirector::in_vain.
  bool reached(int attempts, int in_vain);

 private:
  bool may_look_until_ready() const;

  const RunSpec& spec_;
  const Clock& client_;
  const Clock& real_;
  int attempts_ = 0;
  Nanos since_ = 0, last_ = 0;  // client time of the first and the latest attempt seen
  Nanos really_since_ = 0;
};

}  // namespace retrial::campaign

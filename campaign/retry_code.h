#pragma once
#include <vector>

#include "campaign/planning/plan.h"
#include "scan/scan.h"
#include "trace/campaign_record.h"

namespace retrial::campaign {

// The project's own retry code, as `retrial scan` reads it, to be held against what a campaign tried.
class RetryCode {
 public:
  // Reads the current directory's, if it is no more than scan::kProjectBytes in scan::kProjectFiles.
  void read();
  // Cases whose call leads through a location are worth more, of one with verdicts most.
  void raise(std::vector<Case>& cases) const;
  // Says in the remarks if it was too much to be read.
  void hold_against(trace::CampaignRecord& record);

 private:
  std::vector<scan::Location> locations_;
  bool too_much_ = false;
};

}  // namespace retrial::campaign

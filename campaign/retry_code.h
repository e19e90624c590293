#pragma once
#include <future>
#include <string>
#include <vector>

#include "campaign/planning/plan.h"
#include "scan/scan.h"
#include "trace/campaign_record.h"

namespace retrial::campaign {

// The project's own retry code, as `retrial scan` reads it: read beside the references, and held against what the
// campaign tried. Of one thread.
class RetryCode {
 public:
  // Begins to read the current directory's source. More than that many bytes are not read: that would cost seconds
  // (measured: 10 MB in 2.7 s of one core).
  static constexpr std::uintmax_t kMost = 16u << 20;
  void begin();
  // Cases whose call leads through a location are worth more, of one with verdicts most. Waits until all is read.
  void raise(std::vector<Case>& cases);
  // Waits likewise. Says in the remarks if it was too much to be read.
  void hold_against(trace::CampaignRecord& record);

 private:
  const std::vector<scan::Location>& locations();
  std::future<scan::Scan> reading_;
  std::vector<scan::Location> locations_;
  std::uintmax_t too_much_ = 0;  // bytes
};

}  // namespace retrial::campaign

#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "campaign/judging/stored_setting.h"
#include "trace/campaign_record.h"

namespace retrial::campaign {

struct JudgeOutcome {
  // What could not be read stands under not_judged, a line each. Where there are several folders, runs have other
  // numbers here than there; remarks say which.
  trace::CampaignRecord record;
  std::vector<trace::Run> runs;  // as far as they were kept (trace/comparing/sift.h)
  std::size_t read = 0;          // folders that could be
  bool served = false;           // one of them is of `serve`: its campaign.db was built
  std::string failed;            // by a fault of ours, what could not be done; empty: nothing
};

// The oracles again over stored traces, all of one client: folders of `observe`, of `run`, of `serve`, which exist.
// Without a run. The reference of what was observed or served is a run without faults in one of the folders, if there
// is one; of a campaign's case its own.
JudgeOutcome judge(const StoredSetting& setting);

}  // namespace retrial::campaign

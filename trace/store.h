#pragma once
#include <filesystem>
#include <memory>
#include <vector>

#include "base/result.h"
#include "trace/campaign_record.h"

namespace retrial::trace {

// campaign.db: one SQLite file with everything a report needs. Built from the segments at the end of a campaign.
// Tables run, exchange, test_result, finding, judged, campaign (key, value); its version stands in PRAGMA user_version.
Result<void> write_store(const std::filesystem::path& file, const CampaignRecord& campaign, const std::vector<Run>& runs);
struct Stored {
  CampaignRecord campaign;
  std::vector<Run> runs;
};
// An error that says what is wrong for a file that is none of ours, of another version, or torn.
Result<Stored> read_store(const std::filesystem::path& file);

}  // namespace retrial::trace

#pragma once
#include <filesystem>
#include <memory>
#include <vector>

#include "base/result.h"
#include "trace/campaign_record.h"

namespace retrial::trace {

// campaign.db: one SQLite file with everything a report needs. Built from the segments at the end of a campaign.
// Tables run, exchange, stage, test_result, thrown, finding, judged, plan, service, campaign (key, value), and a view,
// attempt, for people (store_columns.h has the columns); its version stands in PRAGMA user_version. Replaces `file`
// whole, or leaves it.
Result<void> write_store(const std::filesystem::path& file, const CampaignRecord& campaign,
                         const std::vector<Run>& runs);
struct Stored {
  CampaignRecord campaign;
  std::vector<Run> runs;
};
// An error that says what is wrong for a file that is none of ours, of another version, or torn.
Result<Stored> read_store(const std::filesystem::path& file);

}  // namespace retrial::trace

#pragma once
#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "base/result.h"
#include "campaign/config/config.h"
#include "trace/campaign_record.h"

namespace retrial::campaign {

using Ids = std::set<std::string>;

// Ids of the findings of an earlier findings.json.
Result<Ids> read_finding_ids(const std::filesystem::path& file);

// Puts the findings in their order, marks what [[accept]] and an earlier report know of, and says in the remarks how
// many those are, and which [[accept]] matched nothing. An id stands for its cause: for whatever has the same verdict,
// call site and operation, under other faults too.
void mark_known(trace::CampaignRecord& record, const Config& config, const std::optional<Ids>& since);

}  // namespace retrial::campaign

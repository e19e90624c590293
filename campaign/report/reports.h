#pragma once
#include <filesystem>
#include <vector>

#include "base/result.h"
#include "trace/campaign_record.h"

namespace retrial::campaign::report {

// The campaign in every format (format.h) into `folder`, which exists. Each file appears whole or not at all.
Result<void> write_reports(const std::filesystem::path& folder, const trace::CampaignRecord& campaign,
                           const std::vector<trace::Run>& runs, trace::Confidence fail_on);

// findings.json alone.
Result<void> renew_findings(const std::filesystem::path& folder, const trace::CampaignRecord& campaign);

}  // namespace retrial::campaign::report

#pragma once
#include <string>
#include <vector>

#include "trace/campaign_record.h"

namespace retrial::campaign::report {

// report.html: one file without any outside resource. For each finding a waterfall of the reference above and the case
// below.
std::string html_page(const trace::CampaignRecord& campaign, const std::vector<trace::Run>& runs,
                      trace::Confidence fail_on);

}  // namespace retrial::campaign::report

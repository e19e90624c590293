#pragma once
#include <string>
#include <vector>

#include "campaign/report/html_finding.h"
#include "trace/campaign_record.h"

namespace retrial::campaign::report {

// What one thing costs as another grows, both axes logarithmic: an SVG of the points, and a dashed line of what would
// have grown as its cause did. Empty for a finding that is not of `stress`, or of which fewer than two runs are known.
std::string growth_chart(const trace::CampaignRecord& campaign, const trace::Finding& finding, const RunsById& runs);

}  // namespace retrial::campaign::report

#pragma once
#include <map>
#include <string>

#include "trace/campaign_record.h"
#include "trace/comparing/comparison.h"

namespace retrial::campaign::report {

using RunsById = std::map<std::uint64_t, const trace::Run*>;

// One finding of a cause: what was done and seen, the waterfall of reference and case, heads and bodies.
std::string html_finding(const trace::CampaignRecord& campaign, const trace::Finding& finding, const RunsById& runs);

}  // namespace retrial::campaign::report

#pragma once
#include <vector>

#include "scan/location.h"
#include "trace/campaign_record.h"

namespace retrial::scan {

// Tells each location what became of it in a campaign: by the call sites of its cases and findings, whose chains lead
// through the function that the location stands in. Files are the same if their absolute paths are; the campaign's are
// relative to its directory.
void hold_against(std::vector<Location>& locations, const trace::CampaignRecord& campaign);

}  // namespace retrial::scan

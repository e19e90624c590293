#pragma once
#include <string>

#include "trace/campaign_record.h"

namespace retrial::campaign::report {

// findings.sarif, for what shows findings beside the code: SARIF 2.1.0
// (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html). A finding that fails the run is an error, any
// other a warning, a note a note; an accepted one is suppressed. Valid JSON whatever the campaign holds.
std::string sarif(const trace::CampaignRecord& campaign, trace::Confidence fail_on);

}  // namespace retrial::campaign::report

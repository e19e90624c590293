#pragma once
#include <string>

#include "trace/campaign_record.h"

namespace retrial::campaign::report {

// junit.xml as Jenkins reads it: a testcase a judged case; a failure for each finding at or above `fail_on` that is
// confirmed and not accepted; skipped where it could not be judged. Characters that XML 1.0 cannot hold become U+FFFD.
std::string junit_xml(const trace::CampaignRecord& campaign, trace::Confidence fail_on);

}  // namespace retrial::campaign::report

#pragma once
#include <string>

#include "trace/campaign_record.h"

namespace retrial::campaign::report {

// findings.json, version 1 (docs/findings.md). Always valid JSON: bytes that are no UTF-8 become U+FFFD.
std::string findings_json(const trace::CampaignRecord& campaign);

}  // namespace retrial::campaign::report

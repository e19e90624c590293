#pragma once
#include "campaign/campaign.h"
#include "campaign/report/sight.h"

namespace retrial::campaign {

report::Sight sight_of(const CampaignOutcome& outcome, const Config& config);

}  // namespace retrial::campaign

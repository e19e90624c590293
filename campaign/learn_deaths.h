#pragma once
#include "campaign/planning/references.h"

namespace retrial::campaign {

// Ends each process of each test once or twice, at moments that say most of what follows its death, and keeps in `refs`
// the runs in which that was borne: the test passed; and those that did not end by themselves, for somebody waits.
// Nothing where it cannot be: no test sends anything from a process of its own. What else is to be said goes to
// `remarks`. Takes no longer than half of `time` (kNoLimit: as long as it takes). An error where nothing can be run any
// more.
Result<void> learn_deaths(CampaignContext& context, References& refs, Nanos time, std::vector<std::string>& remarks);

}  // namespace retrial::campaign

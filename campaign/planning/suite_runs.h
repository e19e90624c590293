#pragma once
#include <functional>
#include <map>
#include <string>

#include "campaign/planning/references.h"

// The suite without faults, as often as it takes to know it.
namespace retrial::campaign {

// The two runs by which the suite is known, and how its tests differ in them.
struct Twice {
  const trace::Run* before = nullptr;  // the same, where there was time for one
  const trace::Run* suite = nullptr;
  std::map<std::string, std::string> differ;
  const trace::Run* first = nullptr;
};

// The first alone; then, where runs may go side by side, two that do. Whether they can is said in `refs`.
Result<Twice> run_twice(CampaignContext& context, References& refs, const std::function<bool()>& may_go_on);

// Is there a service that we start or bring back?
bool has_ours(const CampaignContext& context);

bool failed(const trace::Run& run, const std::string& test);

}  // namespace retrial::campaign

#pragma once
#include <map>
#include <string>
#include <vector>

#include "campaign/planning/references.h"
#include "campaign/planning/targets.h"
#include "predict/time_of_fault.h"

namespace retrial::campaign {

// Ends each process of each test once or twice, at moments that say most of what follows its death, and keeps in `refs`
// the runs in which that was borne: the test passed. Nothing where it cannot be: no test sends anything from a process
// of its own. An error where nothing can be run any more.
Result<void> learn_deaths(CampaignContext& context, References& refs);

// A write at whose moment a death may be seen: a call, in the one test that shows it, and what speaks for it.
struct MayDie {
  Found found;
  policies::FaultPlan plan;
  double value = 1;                     // what it would break, against others
  std::vector<predict::MayFall> falls;  // never empty
};

// Of all tests, each pair of call sites and operations once; what would break the most first.
std::vector<MayDie> may_die(const Tests& tests, const BorneDeaths& borne);

}  // namespace retrial::campaign

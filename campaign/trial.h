#pragma once
#include <set>
#include <string>
#include <vector>

#include "campaign/planning/plan.h"
#include "campaign/workload/context.h"
#include "oracles/oracle.h"

namespace retrial::campaign {

// What one case has brought. Findings are confirmed: seen again with the fault, and not without it.
struct CaseResult {
  std::vector<trace::Finding> findings;
  std::vector<trace::Finding> notes;
  std::vector<trace::Judged> clean;
  std::vector<trace::Judged> not_judged;
  int attempts = 0;     // of the faulted call; 0: the fault did not fire
  bool spoilt = false;  // the test no longer passes without faults: what needs it cannot be judged
};

// Runs a case (again, while an oracle's evidence is too thin), judges it, and confirms what it finds. Fills the row's
// outcome, why and runs. `wide`: how its test is reached. An error where nothing can be run any more.
Result<CaseResult> try_case(CampaignContext& context, Case& row, bool wide);

}  // namespace retrial::campaign

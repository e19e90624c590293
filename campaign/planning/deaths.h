#pragma once
#include <map>
#include <string>
#include <vector>

#include "campaign/planning/targets.h"
#include "predict/time_of_fault.h"

namespace retrial::campaign {

// The process ends once, at this call: before it is forwarded, or once it was carried out. As policies/tof.cc has it.
policies::FaultPlan crash_once(bool before);

// A write at whose moment a death may be seen: a call, in the one test that shows it, and what speaks for it.
struct MayDie {
  Found found;
  policies::FaultPlan plan;
  double value = 1;                     // what it would break, against others
  std::vector<predict::MayFall> falls;  // never empty
};

// Of all tests, each pair of call sites and operations once; what would break the most first.
std::vector<MayDie> may_die(const Tests& tests, const SeenDeaths& deaths);

}  // namespace retrial::campaign

#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "trace/fault_spec.h"

namespace retrial::policies {

struct FaultStep {
  trace::FaultSpec fault;
  int times = 0;  // 0: goes on for ever (the last step only)
  bool operator==(const FaultStep&) const = default;
};

// What is done to the attempts of a call, one after another. The last step goes on.
struct FaultPlan {
  std::vector<FaultStep> steps;
  bool operator==(const FaultPlan&) const = default;
};

// The fault of attempt n (from 1).
trace::FaultSpec fault_of(const FaultPlan& plan, int attempt);

// The fault language (docs/faults.md): `FAULT [x N], then FAULT [x N], … [, then pass]`, arguments by place or by name.
// An error names the column, what was expected, and the nearest known word.
Result<FaultPlan> parse_fault_plan(std::string_view text);
std::string show(const FaultPlan& plan);  // parses back to the same plan

}  // namespace retrial::policies

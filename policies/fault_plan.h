#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policies/chance.h"
#include "trace/fault_spec.h"

namespace retrial::policies {

struct FaultStep {
  trace::FaultSpec fault;
  int times = 0;          // 0: goes on for ever, or for as long as its window is open
  Share share = kAlways;  // of its attempts; the others pass
  int every = 1;          // of so many attempts the last is its; the others pass, and are not among its `times`
  Nanos after = 0;        // its window begins, from the start of the run
  Nanos lasts = 0;        // 0: it has no end
  bool windowed() const { return after != 0 || lasts != 0; }
  bool operator==(const FaultStep&) const = default;
};

// What is done to the attempts of a call, one after another. A step whose window is not open is no step: the attempts
// are those of the others. After the last step everything passes.
struct FaultPlan {
  std::vector<FaultStep> steps;
  bool operator==(const FaultPlan&) const = default;
};

// What is counted: attempts of a call, for which the steps of connections (trace::is_of_connection) are no steps; or
// connections of a process to a service, for which all others but pass are none.
enum class Of : std::uint8_t { attempts, connections };

// The step of attempt n (from 1) at `elapsed` since the start, or null where all steps are done.
const FaultStep* step_of(const FaultPlan& plan, int attempt, Nanos elapsed = 0, Of of = Of::attempts);

// The fault of attempt n (from 1) at `elapsed` since the start, with its delay drawn. Rolls once where there is a share
// or a spread, else not at all.
trace::FaultSpec choose(const FaultPlan& plan, int attempt, Nanos elapsed, Dice& dice, Of of = Of::attempts);

// Is there anything in it for connections? Else no director need count them.
bool strikes_connections(const FaultPlan& plan);

// Does anything of it depend on chance? Then whoever uses it prints the seed.
bool rolls(const FaultPlan& plan);

// Does it spare nobody: is there a fault that all attempts meet, and not a part of them?
bool meets_all(const FaultPlan& plan);

// The fault of attempt n (from 1) of a plan without shares, windows and spreads, as policies have them.
trace::FaultSpec fault_of(const FaultPlan& plan, int attempt);

// The fault language (docs/faults.md): `FAULT [x N], then FAULT [x N], … [, then pass]`, arguments by place or by name;
// a step may be `[after TIME:] [every K:] [P% of] FAULT [x N] [for TIME]`.
// An error names the column, what was expected, and the nearest known word.
Result<FaultPlan> parse_fault_plan(std::string_view text);
std::string show(const FaultPlan& plan);  // parses back to the same plan

}  // namespace retrial::policies

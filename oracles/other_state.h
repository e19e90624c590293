#pragma once
#include <optional>
#include <string>

#include "trace/comparing/comparison.h"

// What the service holds when a command has ended, as --look reads it: one look beside the same one without the fault.
namespace retrial::oracles {

struct OtherState {
  std::string text;  // "a list of 5, and of 4 without the fault"
  bool more = false;
  // It lies at no growth from run to run (the control shows what the reference shows), and counts no attempts.
  bool sure = false;
};
// None: they show the same, or cannot be compared. `control`: the same look of a run without the fault after all
// others; null: there was none. What differs between the two runs without it says nothing.
std::optional<OtherState> other_state(const trace::Exchange& was, const trace::Exchange& is,
                                      const trace::Exchange* control);

// Do the looks of this case show that the service holds no more than without the fault, of what this call has sent: as
// many entries and the same counts, a value of the call's among them, at a path that speaks of what the call's does
// ("/__state/payouts", "POST /payouts")?
bool looks_hold_as_much(const trace::Comparison& c, const trace::Call& call);

// This run's look at what `look` looks at, if it was answered; else null.
const trace::Exchange* same_look(const trace::Run& run, const trace::Exchange& look);

}  // namespace retrial::oracles

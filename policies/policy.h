#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "policies/fault_plan.h"

namespace retrial::policies {

// A policy looks forward: it says what should happen to each attempt of a targeted call. Its tellings are variants of
// the same question, each a case of its own. Source: Rainmaker (NSDI'23) 4.2 for P1 to P4; WASABI (SOSP'24) for N1;
// K1 and K3 ours.
struct Policy {
  std::string_view name;      // "P1"
  std::string_view question;  // what it puts on trial, one sentence for the report
  std::vector<FaultPlan> tellings;
  std::vector<FaultPlan> once_a_site = {};  // tellings tried once a call site, not once an operation
  int attempts = 0;        // asked only of calls that P3 has shown to make more attempts than that; 0: of all
  bool by_default = true;  // tried where nobody says which
};

// In the order in which they are tried: P3, P1, K1, P4, P2, K3, N1 (P3 shows the cap that the others need).
std::span<const Policy> policies();
// "p1" or "P1"; null if unknown.
const Policy* policy_named(std::string_view name);

}  // namespace retrial::policies

#pragma once
#include <map>
#include <string>
#include <vector>

#include "campaign/planning/targets.h"
#include "predict/near_misses.h"

namespace retrial::campaign {

// The first of two operations whose order nothing keeps: a call that can be held, in the one test that shows it.
struct MayTurn {
  Found found;
  Nanos delay = 0;                        // that lets each of its seconds come before it
  std::vector<predict::NearMiss> misses;  // never empty
};

// Of all tests, each pair of call sites and operations once.
std::vector<MayTurn> may_turn(const std::map<std::string, const trace::Run*>& tests);

// What predict::further_apart counts, of all tests: none of it is tried.
std::size_t further_apart(const std::map<std::string, const trace::Run*>& tests);

}  // namespace retrial::campaign

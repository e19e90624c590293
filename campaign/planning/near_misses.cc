#include "campaign/planning/near_misses.h"

#include <algorithm>
#include <set>

#include "trace/comparing/comparison.h"
#include "trace/comparing/slices.h"

namespace retrial::campaign {
namespace {

std::string pair_of(const predict::NearMiss& miss) {
  auto place = [](auto& side) { return (side.site ? trace::key_of(*side.site) : "") + "\n" + side.operation + "\n"; };
  return place(miss.first) + place(miss.second);
}

}  // namespace

std::vector<MayTurn> may_turn(const std::map<std::string, const trace::Run*>& tests) {
  std::vector<MayTurn> all;
  std::set<std::string> known;
  for (auto& [test, run] : tests) {
    auto misses = predict::near_misses(*run);
    std::erase_if(misses, [&](auto& miss) { return !known.insert(pair_of(miss)).second; });
    if (misses.empty()) continue;
    for (auto& target : every_call(test, *run)) {
      MayTurn one;
      for (auto& miss : misses)
        if (miss.first.exchange == target.first) {
          one.delay = std::max(one.delay, predict::delay_for(miss.gap));
          one.misses.push_back(miss);
        }
      if (one.misses.empty()) continue;
      one.found = target.second;
      all.push_back(std::move(one));
    }
  }
  return all;
}

std::size_t further_apart(const std::map<std::string, const trace::Run*>& tests) {
  std::size_t all = 0;
  for (auto& [test, run] : tests) all += predict::further_apart(*run);
  return all;
}

}  // namespace retrial::campaign

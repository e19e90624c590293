#include "oracles/registry.h"

#include <algorithm>
#include <array>

namespace retrial::oracles {

std::span<const Oracle* const> oracles() {
#define RETRIAL_ROW(name) &name(),
  static const std::array all = {RETRIAL_ORACLES(RETRIAL_ROW)};
#undef RETRIAL_ROW
  return all;
}

const Verdict* verdict_named(std::string_view name) {
  for (auto* oracle : oracles())
    for (auto& verdict : oracle->verdicts())
      if (verdict.name == name) return &verdict;
  return nullptr;
}

Horizon horizon() {
  Horizon farthest;
  for (auto* oracle : oracles()) {
    auto its = oracle->horizon();
    farthest.attempts = std::max(farthest.attempts, its.attempts);
    farthest.client_time = std::max(farthest.client_time, its.client_time);
  }
  return farthest;
}

}  // namespace retrial::oracles

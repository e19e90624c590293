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

Horizons horizons() {
  auto farther = [](Horizon a, Horizon b) {
    return Horizon{std::max(a.attempts, b.attempts), std::max(a.client_time, b.client_time),
                   std::max(a.looks, b.looks)};
  };
  Horizons all;
  for (auto* oracle : oracles()) {
    auto its = oracle->horizons();
    all = {farther(all.near, its.near), farther(all.far, its.far)};
  }
  return all;
}

}  // namespace retrial::oracles

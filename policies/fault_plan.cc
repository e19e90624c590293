#include "policies/fault_plan.h"

#include <fmt/format.h>

namespace retrial::policies {

trace::FaultSpec fault_of(const FaultPlan& plan, int attempt) {
  for (auto& step : plan.steps) {
    if (step.times == 0 || attempt <= step.times) return step.fault;
    attempt -= step.times;
  }
  return {};
}

std::string show(const FaultPlan& plan) {
  std::string out;
  for (auto& step : plan.steps) {
    if (!out.empty()) out += ", then ";
    out += trace::show(step.fault);
    if (step.times) out += fmt::format(" x {}", step.times);
  }
  return out;
}

}  // namespace retrial::policies

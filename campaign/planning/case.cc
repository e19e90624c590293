#include "campaign/planning/case.h"

#include <fmt/format.h>

#include <cstdlib>

#include "predict/near_misses.h"
#include "trace/fault_name.h"

namespace retrial::campaign {

std::string Case::target_key() const {
  return fmt::format("{}\n{}\n{}\n{}", row.site ? trace::key_of(*row.site) : "", row.operation, row.service,
                     places.size() == 1 ? row.test : "");
}
std::string Case::call_key() const { return target_key() + (at_last ? "\nlast" : ""); }
std::string Case::family_key() const {
  return fmt::format("{}\n{}\n{}", row.site ? trace::key_of(*row.site) : row.service,
                     row.operation.substr(0, row.operation.find(' ')), row.plan);
}
bool Case::passes() const {
  auto& last = faults.steps.back();
  return trace::is_pass(last.fault) && last.times == 0;
}
bool Case::effect_stands() const {
  using enum trace::FaultName;
  auto first = policies::fault_of(faults, 1).name;
  return repeat == trace::Repeat::safe || first == lost_response || first == delay;
}
bool Case::interferes(const Case& other) const {
  auto holds = [](const Case& c) { return c.policy && c.policy->of_near_misses; };
  if (!holds(*this) && !holds(other)) return false;
  if (!holds(*this) || !holds(other)) return true;
  auto longest = policies::fault_of(policy->plans.back(), 1).delay + predict::kNear;
  return std::abs(here().at - other.here().at) < longest;
}
void Case::ask_further() {
  if (!policy || !policy->of_near_misses) return;
  faults = policy->plans.back();
  row.plan = policies::show(faults);
}
bool Case::targets(const trace::Call& call) const {
  auto& first = call.first();
  return first.operation == row.operation && first.tag.site == row.site;
}
void Case::put(std::size_t at) {
  if (places[at].test != row.test) seen.clear();
  place = at;
  row.test = here().test;
  row.occurrence = here().occurrence;
}

}  // namespace retrial::campaign

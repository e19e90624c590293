#include "policies/registry.h"

#include "base/text.h"

namespace retrial::policies {

std::span<const Policy> policies() {
#define RETRIAL_ROW(name) name(),
  static const std::vector<Policy> all = {RETRIAL_POLICIES(RETRIAL_ROW)};
#undef RETRIAL_ROW
  return all;
}

const FaultPlan& first_plan(const Policy& policy) {
  if (!policy.plans.empty()) return policy.plans.front();
  return policy.once_a_site.empty() ? policy.once_a_line.front() : policy.once_a_site.front();
}

const Policy* policy_named(std::string_view name) {
  for (auto& policy : policies())
    if (iequals(policy.name, name)) return &policy;
  return nullptr;
}

}  // namespace retrial::policies

#include <vector>

#include "base/text.h"
#include "policies/tellings.h"

namespace retrial::policies {

std::span<const Policy> policies() {
  static const std::vector<Policy> all = {p3(), p1(), k1(), p4(), p2(), k3(), n1()};
  return all;
}

const Policy* policy_named(std::string_view name) {
  for (auto& policy : policies())
    if (iequals(policy.name, name)) return &policy;
  return nullptr;
}

}  // namespace retrial::policies

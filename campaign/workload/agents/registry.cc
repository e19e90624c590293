#include "campaign/workload/agents/registry.h"

#include <array>

namespace retrial::campaign {

std::span<const Agent* const> agents() {
#define RETRIAL_ROW(name) &name##_agent(),
  static const std::array all = {RETRIAL_AGENTS(RETRIAL_ROW)};
#undef RETRIAL_ROW
  return all;
}

}  // namespace retrial::campaign

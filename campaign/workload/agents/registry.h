#pragma once
#include "campaign/workload/agents/agent.h"

// One line an agent: python_agent() stands in python.cc, its files below integration/agents/python.
#define RETRIAL_AGENTS(AGENT) \
  AGENT(python)               \
  AGENT(node)                 \
  AGENT(java)                 \
  AGENT(go)                   \
  AGENT(rust)                 \
  AGENT(ruby)                 \
  AGENT(php)                  \
  AGENT(native)

namespace retrial::campaign {

#define RETRIAL_DECLARE(name) const Agent& name##_agent();
RETRIAL_AGENTS(RETRIAL_DECLARE)
#undef RETRIAL_DECLARE

}  // namespace retrial::campaign

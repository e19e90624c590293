#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "campaign/adapters/adapter.h"

namespace retrial::campaign {

struct AgentSetting {
  std::filesystem::path agents;  // where unpack_agents has put them
  std::filesystem::path events;  // the run's events file
  std::filesystem::path only;    // file for RETRIAL_ONLY; used where the launch asks for it
};

// Our own environment with the agents added beside whatever the user already preloads: KEY=VALUE each.
std::vector<std::string> environment_for(const Launch& launch, const AgentSetting& setting);

}  // namespace retrial::campaign

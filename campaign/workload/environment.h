#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "campaign/workload/adapters/adapter.h"
#include "campaign/workload/trust.h"

namespace retrial::campaign {

// A forward proxy that the command is to use for everything.
struct ForwardProxy {
  std::string host;  // "127.0.0.1", "::1"
  std::uint16_t port = 0;
  std::string except;  // for NO_PROXY: what is not to go by it, comma-separated; empty: nothing, localhost neither
};

struct EnvironmentSetting {
  std::filesystem::path agents;  // where unpack_agents has put them
  std::filesystem::path events;  // the run's events file
  std::filesystem::path only;    // file for RETRIAL_ONLY; used where the launch asks for it
  const Trust* trust = nullptr;  // null: the command trusts what it trusts
  std::optional<ForwardProxy> proxy;
  std::filesystem::path time_page = {};  // by which the command's clock is moved; empty: it is not
};

// Our own environment with all agents and the hooks of all runners added beside whatever the user already preloads, and
// with what makes it trust and, where that is asked for, use us: KEY=VALUE each.
std::vector<std::string> environment_for(const Launch& launch, const EnvironmentSetting& setting);

}  // namespace retrial::campaign

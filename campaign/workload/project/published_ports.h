#pragma once
#include <filesystem>
#include <map>
#include <string>

namespace retrial::campaign {

// Who publishes a port of this machine.
struct Publisher {
  std::string file;     // "compose.yaml"
  std::string service;  // as it is called there
};

// By port, of the Compose file in this folder, if there is one that can be read. Ports that it leaves to a variable or
// to Docker are left out.
std::map<std::string, Publisher> published_ports(const std::filesystem::path& project);

}  // namespace retrial::campaign

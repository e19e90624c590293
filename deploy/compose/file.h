#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace retrial::deploy {

// What of a Compose file says who talks to whom (https://compose-spec.io).
struct ComposeService {
  std::string name;
  std::map<std::string, std::string> environment;  // env_file too; variables are put in
  std::vector<std::string> words;                  // command, entrypoint
  std::set<std::string> depends_on;
  std::map<std::string, std::string> links;  // alias -> service
  std::set<std::string> networks;            // {"default"} where none is named
  std::set<std::string> names;               // by which others call it: service, container_name, hostname, aliases
  std::set<std::uint16_t> ports;             // in the container: expose, ports
  std::string image;
  bool own_network = true;  // no network_mode
};

struct ComposeFile {
  std::vector<ComposeService> services;  // in the order of the file
  std::vector<std::string> unread;       // what could not be taken into account, a line each
  // Whoever is called by that name; null: nobody.
  const ComposeService* called(std::string_view name) const;
};

// Variables ${NAME}, ${NAME:-default} come from the environment and from .env beside the file. Errors, the user's: no
// YAML, no `services`, a service that is no table, `include` and `extends`, which would have to be followed.
Result<ComposeFile> read_compose(const std::string& path);

}  // namespace retrial::deploy

#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "deploy/compose/file.h"

namespace retrial::deploy {

// One service calls another.
struct Talk {
  std::string caller, service;
  std::string name;  // by which it does
  std::uint16_t port = 0;
  std::string scheme;     // "http", "https", "h2c"; empty: not said
  std::string read_from;  // "environment API_URL", "depends_on"
  bool operator==(const Talk&) const = default;
};

struct Talks {
  std::vector<Talk> all;          // by service, then caller; each caller, name and port once
  std::vector<std::string> left;  // who is left as it is, and why
};

Talks talks_of(const ComposeFile& file);

}  // namespace retrial::deploy

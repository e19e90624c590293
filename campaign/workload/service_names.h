#pragma once
#include <string>
#include <vector>

#include "campaign/config/config.h"

namespace retrial::campaign {

// Captured connections show IP addresses: from here on a service whose address is a name ("web:8080", as Docker Compose
// has them) stands at what getaddrinfo(3) gives for it now, IPv4 first. Blocks for as long as that takes. Gives a line
// for each name that it does not know: what is said of that service is of no use.
std::vector<std::string> resolve_names(std::vector<Service>& services);

}  // namespace retrial::campaign

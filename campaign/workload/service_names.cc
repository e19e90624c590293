#include "campaign/workload/service_names.h"

#include <fmt/format.h>
#include <netdb.h>

#include <cstring>
#include <memory>

#include "campaign/config/config_values.h"
#include "proxy/net/address.h"

namespace retrial::campaign {
namespace {

using Found = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

// The first IPv4 address of these, or the first.
std::string first_of(const addrinfo& all, std::uint16_t port) {
  auto* chosen = &all;
  while (chosen && chosen->ai_family != AF_INET) chosen = chosen->ai_next;
  if (!chosen) chosen = &all;
  proxy::Address address;
  std::memcpy(&address.storage_, chosen->ai_addr, chosen->ai_addrlen);
  return address.with_port(port).show();
}

}  // namespace

std::vector<std::string> resolve_names(std::vector<Service>& services) {
  std::vector<std::string> unknown;
  for (auto& s : services) {
    auto where = where_of(s.address);
    if (!where || where->literal) continue;
    addrinfo wanted{}, *all = nullptr;
    wanted.ai_socktype = SOCK_STREAM;
    auto failed = getaddrinfo(where->host.c_str(), nullptr, &wanted, &all);
    Found found(all, freeaddrinfo);
    if (failed || !found)
      unknown.push_back(
          fmt::format("[service.{}] address: {} is not known here ({}), so this service is not recognised", s.name,
                      where->host, gai_strerror(failed)));
    else
      s.address = first_of(*found, where->port);
  }
  return unknown;
}

}  // namespace retrial::campaign

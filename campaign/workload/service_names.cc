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

// Its first IPv4 address, or its first.
std::string first_of(const addrinfo* all, std::uint16_t port) {
  auto* chosen = all;
  for (auto* one = all; one && chosen->ai_family != AF_INET; one = one->ai_next)
    if (one->ai_family == AF_INET) chosen = one;
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
    if (failed)
      unknown.push_back(
          fmt::format("[service.{}] address: {} is not known here ({}), so this service is not recognised", s.name,
                      where->host, gai_strerror(failed)));
    else
      s.address = first_of(all, where->port);
  }
  return unknown;
}

}  // namespace retrial::campaign

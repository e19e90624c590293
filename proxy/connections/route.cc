#include "proxy/connections/route.h"

#include "base/text.h"

namespace retrial::proxy {
namespace {

// A host by the one name under which it is compared.
std::string plain(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  auto folded = lower(host);
  return folded == "localhost" || folded == "::1" ? "127.0.0.1" : folded;
}

}  // namespace

Route route_to(const Address& address) {
  Route route;
  auto text = address.show();
  auto colon = text.rfind(':');
  route.host = text.substr(0, colon);
  if (route.host.starts_with('[')) route.host = route.host.substr(1, route.host.size() - 2);
  route.port = address.port();
  return route;
}

std::optional<Route> route_of(std::string_view authority, std::uint16_t port, bool tls) {
  Route route;
  route.tls = tls;
  route.port = port;
  auto colon = authority.rfind(':');
  if (colon != authority.npos && authority.find(']', colon) == authority.npos) {
    auto digits = authority.substr(colon + 1);
    auto number = to_int(digits);
    if (!digits.empty() && (!number || *number < 1 || *number > 65535)) return std::nullopt;
    if (number) route.port = static_cast<std::uint16_t>(*number);
    authority = authority.substr(0, colon);
  }
  if (authority.starts_with('[') && authority.ends_with(']')) authority = authority.substr(1, authority.size() - 2);
  if (authority.empty() || route.port == 0) return std::nullopt;
  route.host = lower(authority);
  return route;
}

void learn(Route& route, std::string_view name, const ListenerOptions& listener) {
  for (auto& known : listener.known) {
    if (known.port != route.port || plain(known.host) != plain(name)) continue;
    route.security = known.security;
    route.server_name = known.server_name;
    route.allow = known.allow;
    route.connect_timeout = known.connect_timeout;
    route.resolve_timeout = known.resolve_timeout;
    return;
  }
}

}  // namespace retrial::proxy

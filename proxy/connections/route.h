#pragma once
#include <optional>
#include <string_view>

#include "proxy/exchange/options.h"

namespace retrial::proxy {

// Where a connection meant to go.
Route route_to(const Address& address);
// "host:port", as a request or a CONNECT names it; the port may be left out where `port` says one.
std::optional<Route> route_of(std::string_view authority, std::uint16_t port, bool tls);
// What is said of the service that the listener knows by this name (ASCII case folded) and the route's port; the route
// goes where it went.
void learn(Route& route, std::string_view name, const ListenerOptions& listener);

}  // namespace retrial::proxy

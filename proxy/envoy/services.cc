#include "proxy/envoy/services.h"

#include "proxy/connections/route.h"

namespace retrial::proxy {

std::shared_ptr<ServicePool> EnvoyServices::named(std::string_view authority, std::string_view scheme) {
  if (!listener_->route.host.empty()) {
    if (!only_) only_ = context_.pool_for(listener_->route);
    return only_;
  }
  bool tls = scheme == "https";
  key_.assign(authority).append(tls ? "s" : "");
  if (auto found = known_.find(key_); found != known_.end()) return found->second;
  auto route = route_of(authority, tls ? 443 : 80, tls);
  if (!route) return nullptr;
  learn(*route, route->host, *listener_);
  if (known_.size() >= kMost) known_.clear();
  return known_[key_] = context_.pool_for(*route);
}

}  // namespace retrial::proxy

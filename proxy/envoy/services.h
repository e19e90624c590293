#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "proxy/connections/connections.h"

namespace retrial::proxy {

// Whom the requests are for that an Envoy tells of: the service of the listener, or whoever the request names itself
// (:authority, with the scheme's port where it names none). One for each connection of an Envoy.
class EnvoyServices {
 public:
  EnvoyServices(Connections& context, std::shared_ptr<const ListenerOptions> listener)
      : context_(context), listener_(std::move(listener)) {}
  // Where it is is found out by it; null: the request names none that could be one.
  std::shared_ptr<ServicePool> named(std::string_view authority, std::string_view scheme);

 private:
  static constexpr std::size_t kMost = 256;  // names are as many as clients say
  Connections& context_;
  std::shared_ptr<const ListenerOptions> listener_;
  std::shared_ptr<ServicePool> only_;
  std::unordered_map<std::string, std::shared_ptr<ServicePool>> known_;
  std::string key_;
};

}  // namespace retrial::proxy

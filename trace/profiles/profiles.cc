#include <array>

#include "trace/profiles/families.h"

namespace retrial::trace {

// A new family is one line here, before the generic one.
std::span<const Profile* const> profiles() {
  static const std::array<const Profile*, 6> kAll{
      &grpc_profile(),  // first: others know their services by path or by headers that an RPC may have too
      &oci_registry_profile(), &azure_storage_profile(), &aws_profile(), &google_storage_profile(), &generic_profile(),
  };
  return kAll;
}
const Profile& profile_for(const Exchange& exchange) {
  for (auto* p : profiles())
    if (p->recognises(exchange)) return *p;
  return generic_profile();
}
const Profile* profile_named(std::string_view name) {
  for (auto* p : profiles())
    if (p->name() == name) return p;
  return nullptr;
}
const Profile& profile_of(const Exchange& exchange) {
  auto* known = exchange.profile.empty() ? nullptr : profile_named(exchange.profile);
  return known ? *known : profile_for(exchange);
}
bool told_failed(const Exchange& e) {
  if (told_failure(e)) return true;
  if (e.ending != Ending::answered || e.client_status != e.service_status) return false;
  return profile_of(e).asks_again(e);
}

}  // namespace retrial::trace

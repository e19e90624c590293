#include "trace/profiles/registry.h"

#include <array>

namespace retrial::trace {

std::span<const Profile* const> profiles() {
#define RETRIAL_ROW(name) &name##_profile(),
  static const std::array all = {RETRIAL_PROFILES(RETRIAL_ROW)};
#undef RETRIAL_ROW
  return all;
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

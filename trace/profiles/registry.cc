#include "trace/profiles/registry.h"

#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "trace/profiles/profile_table.h"

namespace retrial::trace {

namespace {
using Profiles = std::vector<std::shared_ptr<const Profile>>;

// A file that is wrong is a bug of ours, which a test finds.
Profiles read_files() {
  Profiles out;
  for (auto& file : profile_files()) {
    Errors errors;
    auto name = file.path.substr(0, file.path.rfind('.'));
    auto profile = parse_profile(file.bytes, std::string(name), file.path, errors);
    if (!errors.empty()) throw std::logic_error(errors.front().second.line());
    out.push_back(std::move(profile));
  }
  return out;
}

std::vector<const Profile*> in_order(const Profiles& own) {
  static const Profiles files = read_files();
  std::vector<const Profile*> all{&grpc_profile()};
  for (auto* some : {&own, &files})
    for (auto& profile : *some) all.push_back(profile.get());
  for (auto* profile : {&graphql_profile(), &json_rpc_profile(), &soap_profile(), &azure_storage_profile(),
                        &aws_profile(), &generic_profile()})
    all.push_back(profile);
  return all;
}

struct Known {
  explicit Known(Profiles given) : own(std::move(given)), all(in_order(own)) {
    for (auto* profile : all) by_name.emplace(profile->name(), profile);  // of two the first
  }
  Profiles own;
  std::vector<const Profile*> all;
  std::unordered_map<std::string_view, const Profile*> by_name;
};
Known& known() {
  static Known known({});
  return known;
}
}  // namespace

std::span<const Profile* const> profiles() { return known().all; }
std::span<const Profile* const> builtin_profiles() {
  static const auto all = in_order({});
  return all;
}
void add_profiles(Profiles own) { known() = Known(std::move(own)); }
const Profile& profile_for(const Exchange& exchange) {
  for (auto* p : profiles())
    if (p->recognises(exchange)) return *p;
  return generic_profile();
}
const Profile* profile_named(std::string_view name) {
  auto& by_name = known().by_name;
  auto at = by_name.find(name);
  return at == by_name.end() ? nullptr : at->second;
}
const Profile& profile_of(const Exchange& exchange) {
  auto* known = exchange.profile.empty() ? nullptr : profile_named(exchange.profile);
  return known ? *known : profile_for(exchange);
}
const Profile& protocol_of(const Exchange& exchange) {
  for (auto* p : {&graphql_profile(), &json_rpc_profile(), &soap_profile()})
    if (p->recognises(exchange)) return *p;
  return generic_profile();
}
bool told_failed(const Exchange& e) {
  if (told_failure(e) || unreadable(e)) return true;
  if (e.ending != Ending::answered || e.client_status != e.service_status) return false;
  return profile_of(e).fails(e);
}
bool carried_out(const Exchange& e) {
  return executed(e) && e.service_status >= 200 && e.service_status < 300 && !profile_of(e).fails(e);
}

}  // namespace retrial::trace

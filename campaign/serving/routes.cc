#include "campaign/serving/routes.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <set>

namespace retrial::campaign {
namespace {

// What stands in the place of {name}; nothing: it is another path.
std::optional<std::string> argument_of(std::string_view path, std::string_view pattern) {
  auto open = pattern.find('{');
  if (open == pattern.npos) return path == pattern ? std::optional(std::string()) : std::nullopt;
  auto before = pattern.substr(0, open), after = pattern.substr(pattern.find('}') + 1);
  if (path.size() <= before.size() + after.size() || !path.starts_with(before) || !path.ends_with(after)) return {};
  auto argument = path.substr(before.size(), path.size() - before.size() - after.size());
  if (argument.find('/') != argument.npos) return {};
  return std::string(argument);
}

}  // namespace

void Hands::rules_changed(std::string_view by, std::string_view what) {
  audit.tell(by, what, rules.take_changes());
  server.follow(rules.in_force());
  tell_rules();
}
void Hands::tell_rules() { publish("rules", nlohmann::json{{"etag", rules.etag()}}.dump()); }

proxy::AdminResponse refusal(int status, std::string_view why) {
  nlohmann::json body{{"error", why}};
  return {.status = status, .body = body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"};
}

std::span<const AdminRoute> admin_routes() {
  static const auto kAll = [] {
    std::vector<AdminRoute> all;
    for (auto group : {state_routes(), rule_routes(), service_routes()})
      all.insert(all.end(), group.begin(), group.end());
    return all;
  }();
  return kAll;
}

proxy::AdminResponse answer(Hands& hands, const proxy::AdminRequest& request, std::span<const AdminRoute> routes) {
  std::set<std::string_view> allowed;
  for (auto& route : routes) {
    auto argument = argument_of(request.path, route.path);
    if (!argument) continue;
    if (route.method == request.method) return route.answer(hands, request, *argument);
    allowed.insert(route.method);
  }
  if (allowed.empty())
    return refusal(404, fmt::format("there is no {}: GET /v1/openapi.json lists what there is", request.path));
  std::string list;
  for (auto method : allowed) list += (list.empty() ? "" : ", ") + std::string(method);
  auto refused = refusal(405, fmt::format("expected {}", list));
  refused.allow = list;
  return refused;
}

}  // namespace retrial::campaign

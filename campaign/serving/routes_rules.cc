#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "campaign/serving/routes.h"

namespace retrial::campaign {
namespace {
using proxy::AdminRequest, proxy::AdminResponse;
using Json = nlohmann::ordered_json;

Json with_counts(const Rulebook::Entry& entry) {
  auto json = Json::parse(as_json(entry));
  auto& counts = *entry.counts;
  json["counts"] = {{"matched", counts.matched.load()},
                    {"planned", counts.planned.load()},
                    {"withheld", counts.withheld.load()},
                    {"fired", counts.fired.load()}};
  return json;
}

Conditions conditions_of(const AdminRequest& r) { return {r.if_match, r.if_none_match}; }

AdminResponse the_rule(Hands& hands, const std::string& name, int status = 200) {
  auto* entry = hands.rules.named(name);
  if (!entry) return refusal(404, fmt::format("there is no rule \"{}\"", name));
  return {.status = status, .body = with_counts(*entry).dump() + "\n", .etag = entry->etag};
}

// What was wished is in force for every request that begins once this is answered.
AdminResponse granted(Hands& hands, const AdminRequest& request, const Granted<bool>& changed, std::string_view what,
                      const std::string& name, AdminResponse (*then)(Hands&, const std::string&, int)) {
  if (!changed) return refusal(changed.error().status, changed.error().why);
  if (*changed) hands.rules_changed(request.who, what);
  return then(hands, name, 200);
}

AdminResponse list(Hands& hands, const std::string&, int) {
  auto all = Json::array();
  for (auto& entry : hands.rules.entries()) all.push_back(with_counts(entry));
  return {.body = Json{{"rules", std::move(all)}}.dump() + "\n", .etag = hands.rules.etag()};
}
AdminResponse gone(Hands&, const std::string&, int) { return {.status = 204, .type = {}}; }

AdminResponse get_rules(Hands& hands, const AdminRequest&, const std::string&) { return list(hands, {}, 200); }
AdminResponse put_rules(Hands& hands, const AdminRequest& r, const std::string&) {
  return granted(hands, r, hands.rules.put_all(r.body, conditions_of(r)), "put all rules", {}, list);
}
AdminResponse get_rule(Hands& hands, const AdminRequest&, const std::string& name) { return the_rule(hands, name); }
AdminResponse put_rule(Hands& hands, const AdminRequest& r, const std::string& name) {
  bool there = hands.rules.named(name);
  auto answer = granted(hands, r, hands.rules.put(name, r.body, conditions_of(r)), "put rule", name, the_rule);
  if (answer.status == 200 && !there) answer.status = 201;
  return answer;
}
AdminResponse delete_rule(Hands& hands, const AdminRequest& r, const std::string& name) {
  return granted(hands, r, hands.rules.erase(name, conditions_of(r)), "delete rule", name, gone);
}
AdminResponse enable_rule(Hands& hands, const AdminRequest& r, const std::string& name) {
  return granted(hands, r, hands.rules.enable(name, true, conditions_of(r)), "enable rule", name, the_rule);
}
AdminResponse disable_rule(Hands& hands, const AdminRequest& r, const std::string& name) {
  return granted(hands, r, hands.rules.enable(name, false, conditions_of(r)), "disable rule", name, the_rule);
}

}  // namespace

std::span<const AdminRoute> rule_routes() {
  static constexpr AdminRoute kRoutes[] = {
      {"GET", "/v1/rules", get_rules},
      {"PUT", "/v1/rules", put_rules},
      {"GET", "/v1/rules/{name}", get_rule},
      {"PUT", "/v1/rules/{name}", put_rule},
      {"DELETE", "/v1/rules/{name}", delete_rule},
      {"POST", "/v1/rules/{name}/enable", enable_rule},
      {"POST", "/v1/rules/{name}/disable", disable_rule},
  };
  return kRoutes;
}

}  // namespace retrial::campaign

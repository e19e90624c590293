#include "campaign/serving/toxiproxy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "campaign/config/config_admin.h"
#include "campaign/config/config_serve.h"
#include "campaign/config/config_values.h"

namespace retrial::campaign {
namespace {
using proxy::AdminRequest, proxy::AdminResponse;
using Json = nlohmann::ordered_json;

// Clients of Toxiproxy read `error` (or `title`) and `status`.
AdminResponse failed(int status, const std::string& why) {
  Json json{{"error", why}, {"title", why}, {"status", status}};
  return {.status = status, .body = json.dump(-1, ' ', false, Json::error_handler_t::replace)};
}
AdminResponse failed(const Refused& refused) { return failed(refused.status, refused.why); }
std::string rule_name(const std::string& proxy, const std::string& toxic) {
  return fmt::format("toxiproxy.{}.{}", proxy, toxic);
}

}  // namespace

AdminResponse Toxiproxy::answer(const AdminRequest& r) {
  if (r.user_agent.starts_with("Mozilla/")) return failed(403, "User agent not allowed");  // as Toxiproxy has it
  std::vector<std::string> parts;
  for (auto part : split(r.path, '/'))
    if (!part.empty()) parts.emplace_back(part);
  if (parts == std::vector<std::string>{"version"} && r.method == "GET") return {.body = R"({"version": "2.9.0"})"};
  if (parts == std::vector<std::string>{"reset"} && r.method == "POST") return reset(r);
  if (parts == std::vector<std::string>{"populate"} && r.method == "POST") return populate(r);
  if (parts.empty() || parts[0] != "proxies" || parts.size() > 4 || (parts.size() > 2 && parts[2] != "toxics"))
    return failed(404, fmt::format("there is no {} {} here", r.method, r.path));
  if (parts.size() == 1) return proxies(r);
  if (!proxies_.contains(parts[1])) return failed(404, "proxy not found");
  if (parts.size() == 2) return one_proxy(r, parts[1]);
  return parts.size() == 3 ? toxics(r, parts[1]) : one_toxic(r, parts[1], parts[3]);
}

std::string Toxiproxy::json_of(const std::string& name, const Proxy& proxy) const {
  std::vector<std::string> toxics;
  for (auto& toxic : proxy.toxics) toxics.push_back(as_json(toxic));
  return fmt::format(R"({{"name":{},"listen":"{}","upstream":"{}","enabled":{},"toxics":[{}]}})", Json(name).dump(),
                     proxy.listen, proxy.upstream, proxy.enabled, fmt::join(toxics, ","));
}

std::vector<proxy::ListenerSettings> Toxiproxy::listeners() const {
  std::vector<proxy::ListenerSettings> all;
  for (auto& [name, proxy] : proxies_) {
    if (!proxy.enabled) continue;
    proxy::ListenerSettings listener{.mode = proxy::Mode::reverse, .protocol = proxy::Protocol::automatic};
    listener.at = listen_of(proxy.listen)->front();
    auto where = where_of(proxy.upstream);
    listener.service = {.name = name, .host = where->host, .port = where->port};
    all.push_back(std::move(listener));
  }
  return all;
}

Granted<void> Toxiproxy::listen_again() {
  auto at = listen_(listeners());
  if (!at) return refuse(500, at.error().line());
  std::size_t i = 0;
  for (auto& [name, proxy] : proxies_)
    if (proxy.enabled) proxy.listen = (*at)[i++].show();  // with the port that the kernel chose
  return {};
}

Granted<void> Toxiproxy::create(const std::string& name, Proxy made) {
  if (!is_rule_name(name) || name.size() > 40)
    return refuse(400,
                  fmt::format("name: expected at most 40 letters, digits, dashes, dots and underscores, found \"{}\"",
                              name.substr(0, 60)));
  auto at = listen_of(made.listen.starts_with("localhost:") ? "127.0.0.1" + made.listen.substr(9) : made.listen);
  if (!at || at->size() != 1 || !at->front().loopback())
    return refuse(
        400, fmt::format("listen: expected a loopback address and a port, found \"{}\"", made.listen.substr(0, 60)));
  made.listen = at->front().show();
  auto where = where_of(made.upstream);
  if (!where || where->tls)
    return refuse(400, fmt::format("upstream: expected host:port, found \"{}\"", made.upstream.substr(0, 60)));
  made.upstream = where->show();
  if (proxies_.contains(name)) return refuse(409, "proxy already exists");
  proxies_[name] = std::move(made);
  if (auto ok = listen_again(); !ok) {
    proxies_.erase(name);
    return ok;
  }
  return {};
}

AdminResponse Toxiproxy::proxies(const AdminRequest& r) {
  if (r.method == "GET") {
    std::vector<std::string> all;
    for (auto& [name, proxy] : proxies_) all.push_back(Json(name).dump() + ":" + json_of(name, proxy));
    return {.body = fmt::format("{{{}}}", fmt::join(all, ","))};
  }
  if (r.method != "POST") return failed(405, "expected GET or POST");
  auto json = Json::parse(r.body, nullptr, false);
  if (!json.is_object() || !json.contains("name") || !json["name"].is_string())
    return failed(400, "missing required field: name");
  auto text = [&](const char* key) {
    return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : "";
  };
  auto name = text("name");
  Proxy made{.listen = text("listen").empty() ? "127.0.0.1:0" : text("listen"), .upstream = text("upstream")};
  made.enabled = json.value("enabled", Json(true)) != false;
  if (auto ok = create(name, std::move(made)); !ok) return failed(ok.error());
  hands_.audit.tell(r.who, "toxiproxy: create proxy", name);
  return {.status = 201, .body = json_of(name, proxies_[name])};
}

AdminResponse Toxiproxy::populate(const AdminRequest& r) {
  auto json = Json::parse(r.body, nullptr, false);
  if (!json.is_array()) return failed(400, "bad request body: expected an array");
  std::vector<std::string> made;
  for (auto& one : json) {
    AdminRequest single{.method = "POST", .path = "/proxies", .query = {}, .body = one.dump(), .who = r.who};
    auto name = one.is_object() ? one.value("name", "") : "";
    if (auto at = proxies_.find(name); at != proxies_.end()) {
      single.method = "DELETE";
      one_proxy(single, name);
      single.method = "POST";
    }
    if (auto done = proxies(single); done.status != 201) return done;
    made.push_back(json_of(name, proxies_[name]));
  }
  return {.status = 201, .body = fmt::format(R"({{"proxies":[{}]}})", fmt::join(made, ","))};
}

AdminResponse Toxiproxy::one_proxy(const AdminRequest& r, const std::string& name) {
  auto& proxy = proxies_[name];
  if (r.method == "DELETE") {
    for (auto& toxic : proxy.toxics) drop(name, toxic);
    proxies_.erase(name);
    hands_.rules_changed(r.who, "toxiproxy");
    hands_.audit.tell(r.who, "toxiproxy: delete proxy", name);
    if (auto ok = listen_again(); !ok) return failed(ok.error());
    return {.status = 204, .type = {}};
  }
  if (r.method == "POST" || r.method == "PATCH") {
    auto json = Json::parse(r.body, nullptr, false);
    if (!json.is_object()) return failed(400, "bad request body: expected an object");
    auto before = proxy;
    if (json.contains("enabled")) proxy.enabled = json["enabled"] == true;
    for (auto [key, member] : {std::pair("listen", &Proxy::listen), std::pair("upstream", &Proxy::upstream)})
      if (json.contains(key) && json[key].is_string() && !json[key].get<std::string>().empty() &&
          json[key] != before.*member && json[key] != "localhost" + before.listen.substr(before.listen.rfind(':')))
        return failed(400, fmt::format("{}: expected the same as before: delete the proxy, and create another", key));
    if (auto ok = listen_again(); !ok) {
      proxy = before;
      return failed(ok.error());
    }
    if (before.enabled != proxy.enabled)
      hands_.audit.tell(r.who, proxy.enabled ? "toxiproxy: enable" : "toxiproxy: disable", name);
  } else if (r.method != "GET") {
    return failed(405, "expected GET, POST, PATCH or DELETE");
  }
  return {.body = json_of(name, proxy)};
}

// One fault an exchange: a second toxic would never come, so it is refused.
Granted<void> Toxiproxy::put(std::string_view by, const std::string& name, Proxy& proxy, const Toxic& toxic) {
  auto inject = faults_of(toxic);
  if (!inject) return std::unexpected(inject.error());
  auto at = std::ranges::find(proxy.toxics, toxic.name, &Toxic::name);
  if (at == proxy.toxics.end() && !proxy.toxics.empty())
    return refuse(409, fmt::format("one fault an exchange: remove the toxic \"{}\" first", proxy.toxics.front().name));
  Json rule{{"match", {{"service", proxy.upstream}}}, {"inject", *inject}};
  auto done = hands_.rules.put(rule_name(name, toxic.name), rule.dump(), {});
  if (!done) return std::unexpected(done.error());
  if (at == proxy.toxics.end())
    proxy.toxics.push_back(toxic);
  else
    *at = toxic;
  hands_.rules_changed(by, "toxiproxy");
  return {};
}
void Toxiproxy::drop(const std::string& name, const Toxic& toxic) {
  hands_.rules.erase(rule_name(name, toxic.name), {});
}

AdminResponse Toxiproxy::toxics(const AdminRequest& r, const std::string& name) {
  auto& proxy = proxies_[name];
  if (r.method == "GET") {
    std::vector<std::string> all;
    for (auto& toxic : proxy.toxics) all.push_back(as_json(toxic));
    return {.body = fmt::format("[{}]", fmt::join(all, ","))};
  }
  if (r.method != "POST") return failed(405, "expected GET or POST");
  auto toxic = read_toxic(r.body);
  if (!toxic) return failed(toxic.error());
  if (std::ranges::count(proxy.toxics, toxic->name, &Toxic::name)) return failed(409, "toxic already exists");
  if (auto ok = put(r.who, name, proxy, *toxic); !ok) return failed(ok.error());
  hands_.audit.tell(r.who, "toxiproxy: add toxic", name + " " + toxic->name);
  return {.body = as_json(*toxic)};
}

AdminResponse Toxiproxy::one_toxic(const AdminRequest& r, const std::string& name, const std::string& toxic) {
  auto& proxy = proxies_[name];
  auto at = std::ranges::find(proxy.toxics, toxic, &Toxic::name);
  if (at == proxy.toxics.end()) return failed(404, "toxic not found");
  if (r.method == "GET") return {.body = as_json(*at)};
  if (r.method == "DELETE") {
    drop(name, *at);
    proxy.toxics.erase(at);
    hands_.rules_changed(r.who, "toxiproxy");
    hands_.audit.tell(r.who, "toxiproxy: remove toxic", name + " " + toxic);
    return {.status = 204, .type = {}};
  }
  if (r.method != "POST" && r.method != "PATCH") return failed(405, "expected GET, POST, PATCH or DELETE");
  auto changed = read_toxic(r.body, &*at);
  if (!changed) return failed(changed.error());
  if (auto ok = put(r.who, name, proxy, *changed); !ok) return failed(ok.error());
  hands_.audit.tell(r.who, "toxiproxy: change toxic", name + " " + toxic);
  return {.body = as_json(*changed)};
}

AdminResponse Toxiproxy::reset(const AdminRequest& r) {
  for (auto& [name, proxy] : proxies_) {
    for (auto& toxic : proxy.toxics) drop(name, toxic);
    proxy.toxics.clear();
    proxy.enabled = true;
  }
  hands_.rules_changed(r.who, "toxiproxy");
  hands_.audit.tell(r.who, "toxiproxy: reset");
  if (auto ok = listen_again(); !ok) return failed(ok.error());
  return {.status = 204, .type = {}};
}

}  // namespace retrial::campaign

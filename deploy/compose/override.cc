#include "deploy/compose/override.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "deploy/yaml/documents.h"

namespace retrial::deploy {
namespace {

std::string proxy_of(const std::string& service) { return "retrial-" + service; }

Json proxy(const ComposeFile& file, const Talks& talks, const ComposeService& service, const std::string& image) {
  std::map<std::uint16_t, std::string> ports;  // and how they are spoken to
  std::set<std::string> networks;
  for (auto& t : talks.all) {
    if (t.service != service.name) continue;
    auto& scheme = ports[t.port];
    if (scheme.empty()) scheme = t.scheme;
    auto* caller = file.called(t.caller);
    std::ranges::set_intersection(caller->networks, service.networks, std::inserter(networks, networks.end()));
  }
  auto folder = "/var/lib/retrial/" + service.name;
  auto words =
      Json::array({"serve", "--admin", "--record", folder + "/trace", "--ca", folder + "/ca", "--protocol", "auto"});
  for (auto& [port, scheme] : ports) {
    words.push_back("--reverse");
    words.push_back(fmt::format(":{}={}://{}:{}", port, scheme.empty() ? "http" : scheme, service.name, port));
  }
  words.push_back("--inject");
  words.push_back("${RETRIAL_INJECT:-pass}");
  Json out{{"image", fmt::format("${{RETRIAL_IMAGE:-{}}}", image)},
           {"command", words},
           // All proxies have one volume: each its own admin side in it, where `serve --admin` and `ctl` look.
           {"environment", {{"RETRIAL_ADMIN", fmt::format("unix:{}/admin.sock", folder)}}},
           {"read_only", true},
           {"cap_drop", Json::array({"ALL"})},
           {"security_opt", Json::array({"no-new-privileges:true"})},
           {"volumes", Json::array({"retrial:/var/lib/retrial"})},
           {"healthcheck", {{"interval", "1s"}}}};
  if (networks != std::set<std::string>{"default"}) out["networks"] = Json(networks);
  return out;
}

}  // namespace

std::string compose_override(const ComposeFile& file, const Talks& talks, const std::string& image) {
  auto services = Json::object();
  for (auto& service : file.services) {
    bool called = std::ranges::any_of(talks.all, [&](auto& t) { return t.service == service.name; });
    if (called) services[proxy_of(service.name)] = proxy(file, talks, service, image);
    auto links = Json::array();
    auto needs = Json::object();
    for (auto& t : talks.all) {
      if (t.caller != service.name) continue;
      auto link = fmt::format("{}:{}", proxy_of(t.service), t.name);
      if (std::ranges::find(links, Json(link)) == links.end()) links.push_back(link);
      needs[proxy_of(t.service)] = {{"condition", "service_healthy"}};
    }
    if (!links.empty()) services[service.name] = {{"links", links}, {"depends_on", needs}};
  }
  return fmt::format("{}\n{}", kOverrideMark,
                     yaml_of({{"services", services}, {"volumes", {{"retrial", Json::object()}}}}));
}

}  // namespace retrial::deploy

#include "campaign/workload/environment.h"

#include <cctype>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/text.h"
#include "campaign/workload/agents/agent.h"
#include "campaign/workload/variables.h"

extern char** environ;

namespace retrial::campaign {
namespace {

// JAVA_TOOL_OPTIONS is split at white space but for what stands in quotes of either kind; there is no other escape.
std::string java_option(const std::string& option) {
  std::string out;
  for (char c : option) {
    auto quote = c == '"' ? "'" : c == '\'' || std::isspace(static_cast<unsigned char>(c)) ? "\"" : "";
    out += quote + std::string(1, c) + quote;
  }
  return out;
}

void add_java_option(Variables& all, const std::string& name, const std::string& value) {
  put_option(all, {"JAVA_TOOL_OPTIONS", java_option("-D" + name + "=" + value), " "});
}

// No trustStorePassword: the store needs none, and one that we said would be taken for the password of a store that the
// command gives Java on its command line.
void add_trust(Variables& all, const Trust& trust) {
  all["RETRIAL_CA"] = trust.authority.string();
  all["RETRIAL_TRUST"] = trust.folder.string();
  all["RETRIAL_OWN"] = trust.own;
  for (auto& [name, file] : trust.files) all[name] = file.string();
  if (trust.java_store.empty()) return;
  add_java_option(all, "javax.net.ssl.trustStore", trust.java_store.string());
  add_java_option(all, "javax.net.ssl.trustStoreType", "PKCS12");
}

void add_proxy(Variables& all, const ForwardProxy& proxy) {
  auto host = proxy.host.find(':') == proxy.host.npos ? proxy.host : "[" + proxy.host + "]";
  auto port = std::to_string(proxy.port);
  for (auto name : {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"})
    all[name] = "http://" + host + ":" + port;
  for (auto name : {"NO_PROXY", "no_proxy"}) all[name] = proxy.except;
  all["NODE_USE_ENV_PROXY"] = "1";  // from Node 24 on, which otherwise reads none of these
  for (auto scheme : {"http.", "https."}) {
    add_java_option(all, scheme + std::string("proxyHost"), proxy.host);
    add_java_option(all, scheme + std::string("proxyPort"), port);
  }
  std::string except;  // for both schemes; not given it would be localhost
  for (auto host_or_domain : split(proxy.except, ','))
    if (auto name = std::string(trim(host_or_domain)); !name.empty())
      except = joined(except, "|", name.starts_with('.') ? "*" + name : name);
  add_java_option(all, "http.nonProxyHosts", except);
}

// Beside what stands in `all`.
void add_all(Variables& all, const Launch& launch, const EnvironmentSetting& setting) {
  for (auto& e : launch.environment) {
    auto at = e.find('=');
    all[e.substr(0, at)] = e.substr(at + 1);
  }
  for (auto& path : launch.paths) put_first(all, path);
  all["RETRIAL_EVENTS"] = setting.events.string();
  std::error_code error;
  all["RETRIAL_FROM"] = std::filesystem::current_path(error).string();
  if (!launch.only.empty()) all["RETRIAL_ONLY"] = setting.only.string();
  bool moves_clock = !setting.time_page.empty();
  if (moves_clock) all["RETRIAL_TIME"] = setting.time_page.string();
  for (auto* agent : agents()) agent->load(setting.agents / agent->name(), moves_clock, all);
  // Whatever the command is: it may start a runner of any kind.
  for (auto* adapter : adapters())
    if (auto& hook = adapter->runner().hook; !hook.variable.empty())
      put_last(all, {std::string(hook.variable), std::string(hook.value), std::string(hook.separator)});
  if (setting.trust) add_trust(all, *setting.trust);
  if (setting.proxy) add_proxy(all, *setting.proxy);
}

}  // namespace

std::vector<std::string> environment_for(const Launch& launch, const EnvironmentSetting& setting) {
  Variables all, ours;
  for (char** e = environ; *e; e++) {
    std::string_view entry(*e);
    auto at = entry.find('=');
    if (at != entry.npos) all.emplace(entry.substr(0, at), entry.substr(at + 1));
  }
  add_all(all, launch, setting);
  add_all(ours, launch, setting);
  all["RETRIAL_ADDED"] = nlohmann::json(ours).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  std::vector<std::string> out;
  for (auto& [key, value] : all) out.push_back(key + "=" + value);
  return out;
}

}  // namespace retrial::campaign

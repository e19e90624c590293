#include "deploy/kubernetes/containers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace retrial::deploy {
namespace {

const std::string kFolder = "/var/lib/retrial";  // the image's working folder: there `ctl` finds the admin side

Json confined() {
  return {{"allowPrivilegeEscalation", false},
          {"readOnlyRootFilesystem", true},
          {"capabilities", {{"drop", Json::array({"ALL"})}}},
          {"seccompProfile", {{"type", "RuntimeDefault"}}}};
}

Json resources(const char* cpu, const char* memory, const char* most) {
  return {{"requests", {{"cpu", cpu}, {"memory", memory}}}, {"limits", {{"memory", most}}}};
}

}  // namespace

std::string address_of_service(std::size_t nth) { return fmt::format("127.0.{}.{}", 1 + nth / 254, 1 + nth % 254); }

Json redirect_init(const PodWish& wish, const InjectSettings& settings) {
  Json words =
      Json::array({"redirect", "--to", std::to_string(settings.port), "--except-uid", std::to_string(settings.uid)});
  auto option = [&](const char* name, const auto& values) {
    if (values.empty()) return;
    words.push_back(name);
    words.push_back(fmt::format("{}", fmt::join(values, ",")));
  };
  option("--except-uid", wish.not_users);
  option("--except-port", wish.not_ports);
  option("--except-net", wish.not_nets);
  option("--port", wish.ports);
  auto security = confined();
  security["runAsUser"] = 0;
  security["runAsNonRoot"] = false;
  security["capabilities"]["add"] = Json::array({"NET_ADMIN"});
  return {{"name", kRedirectInit},    {"image", wish.image},         {"imagePullPolicy", wish.pull_policy},
          {"args", std::move(words)}, {"securityContext", security}, {"resources", resources("10m", "16Mi", "64Mi")}};
}

Json sidecar(const PodWish& wish, const InjectSettings& settings) {
  Json words = Json::array({"serve", "--admin", "--record", kFolder + "/trace", "--ca", kFolder + "/ca"});
  if (wish.mode == PodWish::Mode::redirect) {
    words.push_back("--redirect");
    words.push_back(fmt::format(":{}", settings.port));
  }
  for (std::size_t i = 0; i < wish.services.size(); i++) {
    words.push_back("--reverse");
    words.push_back(fmt::format("{}:{}={}", address_of_service(i), wish.services[i].port, wish.services[i].url));
  }
  if (!wish.faults.empty()) {
    words.push_back("--inject");
    words.push_back(wish.faults);
  }
  Json mounts = Json::array({{{"name", kVolume}, {"mountPath", kFolder}}});
  if (!wish.config.empty()) {
    words.push_back("-c");
    words.push_back("/etc/retrial/retrial.toml");
    mounts.push_back({{"name", kConfigVolume}, {"mountPath", "/etc/retrial"}, {"readOnly", true}});
  }
  auto security = confined();
  security["runAsUser"] = settings.uid;
  security["runAsGroup"] = settings.uid;
  security["runAsNonRoot"] = true;
  // Not a probe of a port: that would be a connection of its own.
  Json health{{"exec", {{"command", Json::array({"/retrial", "health"})}}}};
  auto startup = health;
  startup["periodSeconds"] = 1;
  startup["failureThreshold"] = 30;
  return {{"name", kSidecar},
          {"image", wish.image},
          {"imagePullPolicy", wish.pull_policy},
          {"restartPolicy", "Always"},
          {"args", std::move(words)},
          {"securityContext", security},
          {"startupProbe", startup},
          {"resources", resources("20m", "32Mi", "256Mi")},
          {"volumeMounts", std::move(mounts)}};
}

std::vector<Json> volumes(const PodWish& wish) {
  std::vector<Json> out;
  out.push_back({{"name", kVolume}, {"emptyDir", {{"sizeLimit", "2Gi"}}}});
  if (!wish.config.empty()) out.push_back({{"name", kConfigVolume}, {"configMap", {{"name", wish.config}}}});
  return out;
}

std::string status_of(const PodWish& wish, const InjectSettings& settings) {
  auto all = sidecar(wish, settings).dump();
  if (wish.mode == PodWish::Mode::redirect) all += redirect_init(wish, settings).dump();
  return fmt::format("injected {}", hex(fnv1a(all), 16));
}

}  // namespace retrial::deploy

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "deploy/kubernetes/containers.h"
#include "deploy/kubernetes/pod.h"

namespace retrial::deploy {
namespace {

constexpr auto kStatus = "retrial/status";

std::unexpected<Error> wrong(std::string on, std::string what) {
  return fail(std::move(what), std::move(on), Blame::user);
}

struct Patch {
  std::string at;
  Json operations = Json::array();
  void add(const std::string& path, Json value) {
    operations.push_back({{"op", "add"}, {"path", at + path}, {"value", std::move(value)}});
  }
  // Into a list: before what is there, or behind it.
  void into(const Json& list, const std::string& path, std::vector<Json> values, bool first) {
    if (!list.is_array()) return add(path, Json(values));
    for (std::size_t i = 0; i < values.size(); i++)
      add(fmt::format("{}/{}", path, first ? std::to_string(i) : "-"), std::move(values[i]));
  }
};

bool says(const Json& value, bool which) { return value.is_boolean() && value.get<bool>() == which; }

// A key that is true or false, or absent; YAML 1.1's other words for them are not taken for either.
Result<bool> is_true(const Json& spec, const char* key) {
  auto value = child(spec, key);
  if (value.is_null()) return false;
  if (!value.is_boolean())
    return wrong(fmt::format("spec.{}", key), fmt::format("expected true or false, got {}", value.dump()));
  return says(value, true);
}

Result<void> check_containers(const Json& spec, const PodWish& wish, const InjectSettings& settings) {
  auto pod_user = child(child(spec, "securityContext"), "runAsUser");
  for (auto* list : {"initContainers", "containers"}) {
    auto all = child(spec, list);
    if (all.is_null() && std::string_view(list) == "initContainers") continue;
    if (!all.is_array() || all.empty()) return wrong(fmt::format("spec.{}", list), "expected a list of containers");
    for (auto& container : all) {
      auto name = child(container, "name");
      if (!name.is_string()) return wrong(fmt::format("spec.{}", list), "a container without a name");
      auto on = fmt::format("spec.{} {}", list, name.get<std::string>());
      if (name == kSidecar || name == kRedirectInit)
        return wrong(on, "this name is what ours has: it was injected by hand, or is another's");
      auto user = child(child(container, "securityContext"), "runAsUser");
      if (wish.mode == PodWish::Mode::redirect && (user.is_null() ? pod_user : user) == settings.uid)
        return wrong(
            on,
            fmt::format("runs as uid {}, which is the proxy's, whose connections are not redirected: choose another",
                        settings.uid));
      for (auto& port : child(container, "ports")) {
        auto number = child(port, "containerPort");
        if (wish.mode == PodWish::Mode::redirect && number == settings.port)
          return wrong(on, fmt::format("listens on port {}, which is the proxy's", settings.port));
        for (auto& service : wish.services)
          if (number == service.port)
            return wrong(on,
                         fmt::format("listens on port {} itself, on which {} is to be stood in for: place a Service "
                                     "before it instead (docs/staging-kubernetes.md)",
                                     service.port, service.name));
      }
    }
  }
  return {};
}

Result<void> check_names(const Json& spec, const PodWish& wish) {
  for (auto& alias : child(spec, "hostAliases"))
    for (auto& name : child(alias, "hostnames"))
      for (auto& service : wish.services)
        if (name == service.name)
          return wrong("spec.hostAliases", fmt::format("{} is named there already", service.name));
  for (auto& volume : child(spec, "volumes"))
    if (child(volume, "name") == kVolume || child(volume, "name") == kConfigVolume)
      return wrong("spec.volumes", fmt::format("{} is there already, and not ours", child(volume, "name").dump()));
  return {};
}

Result<void> check(const Json& spec, const PodWish& wish, const InjectSettings& settings) {
  if (!spec.is_object()) return wrong("spec", "expected a pod's spec");
  auto system = child(child(spec, "os"), "name");
  if (!system.is_null() && system != "linux") return wrong("spec.os.name", "expected linux");
  auto host = is_true(spec, "hostNetwork");
  if (!host) return std::unexpected(host.error());
  if (*host)
    return wrong("spec.hostNetwork", wish.mode == PodWish::Mode::redirect
                                         ? "true: the connections of the whole node would be redirected"
                                         : "true: the names and ports would be those of the whole node");
  if (auto ok = check_containers(spec, wish, settings); !ok) return ok;
  return check_names(spec, wish);
}

void add_names(Patch& patch, const Json& spec, const PodWish& wish) {
  std::vector<Json> aliases;
  bool low = false;
  for (std::size_t i = 0; i < wish.services.size(); i++) {
    aliases.push_back({{"ip", address_of_service(i)}, {"hostnames", Json::array({wish.services[i].name})}});
    low = low || wish.services[i].port < 1024;
  }
  patch.into(child(spec, "hostAliases"), "/spec/hostAliases", std::move(aliases), false);
  if (!low) return;
  // Without a right of its own the sidecar may listen on 80 only where the pod lets everybody do so.
  Json sysctl{{"name", "net.ipv4.ip_unprivileged_port_start"}, {"value", "0"}};
  auto context = child(spec, "securityContext");
  if (!context.is_object()) return patch.add("/spec/securityContext", {{"sysctls", Json::array({sysctl})}});
  for (auto& there : child(context, "sysctls"))
    if (child(there, "name") == sysctl["name"]) return;
  patch.into(child(context, "sysctls"), "/spec/securityContext/sysctls", {sysctl}, false);
}

}  // namespace

Json child(const Json& of, const char* key) { return of.is_object() && of.contains(key) ? of[key] : Json(); }

Result<Injection> inject(const Json& pod, const std::string& at, const std::string& space,
                         const InjectSettings& settings) {
  auto annotations = child(child(pod, "metadata"), "annotations");
  auto wish = wish_of(annotations, space, settings);
  if (!wish) return std::unexpected(wish.error());
  auto left = [](std::string why) { return Injection{{}, std::move(why)}; };
  if (!wish->inject.value_or(!settings.asked_for))
    return left(wish->inject ? "its annotation retrial/inject is \"false\""
                             : "it does not ask for it (retrial/inject: \"true\")");
  auto status = status_of(*wish, settings);
  auto there = child(annotations, kStatus);
  if (there == status) return left("it is injected already");
  if (!there.is_null())
    return left("it is injected already, with other settings: to have these, inject it as it was before");
  auto spec = child(pod, "spec");
  if (auto ok = check(spec, *wish, settings); !ok) return std::unexpected(ok.error());

  Patch patch{at};
  if (child(pod, "metadata").is_null()) patch.add("/metadata", Json::object());
  if (annotations.is_null()) patch.add("/metadata/annotations", Json::object());
  patch.add("/metadata/annotations/retrial~1status", status);
  std::vector<Json> ours;
  if (wish->mode == PodWish::Mode::redirect) ours.push_back(redirect_init(*wish, settings));
  ours.push_back(sidecar(*wish, settings));
  patch.into(child(spec, "initContainers"), "/spec/initContainers", std::move(ours), true);
  patch.into(child(spec, "volumes"), "/spec/volumes", volumes(*wish), false);
  if (wish->mode == PodWish::Mode::reverse) add_names(patch, spec, *wish);
  return Injection{patch.operations.dump(),
                   fmt::format("injected, mode {}", wish->mode == PodWish::Mode::redirect ? "redirect" : "reverse")};
}

Result<Injection> inject_object(const Json& object, const std::string& space, const InjectSettings& settings) {
  auto kind = child(object, "kind");
  auto metadata = child(object, "metadata");
  auto own = child(metadata, "namespace");
  auto of = own.is_string() ? own.get<std::string>() : space;
  auto named = [&](Result<Injection> done) -> Result<Injection> {
    auto name = child(metadata, "name");
    auto what = fmt::format("{} {}", kind.is_string() ? kind.get<std::string>() : "object",
                            name.is_string() ? name.get<std::string>() : "without a name");
    if (done) return Injection{std::move(done->patch), fmt::format("{}: {}", what, done->said)};
    auto error = done.error();
    error.on = error.on.empty() ? what : fmt::format("{}, {}", what, error.on);
    return std::unexpected(std::move(error));
  };
  if (kind == "Pod") return named(inject(object, "", of, settings));
  for (auto* workload : {"Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job"})
    if (kind == workload)
      return named(inject(child(child(object, "spec"), "template"), "/spec/template", of, settings));
  if (kind == "CronJob") {
    auto job = child(child(object, "spec"), "jobTemplate");
    return named(inject(child(child(job, "spec"), "template"), "/spec/jobTemplate/spec/template", of, settings));
  }
  if (kind != "List" || !child(object, "items").is_array()) return Injection{};
  Injection all;
  auto operations = Json::array();
  for (std::size_t i = 0; i < object["items"].size(); i++) {
    auto one = inject_object(object["items"][i], space, settings);
    if (!one) return one;
    for (auto& operation : one->patch.empty() ? Json::array() : Json::parse(one->patch)) {
      operations.push_back(operation);
      operations.back()["path"] = fmt::format("/items/{}{}", i, operation["path"].get<std::string>());
    }
    if (!one->said.empty()) all.said += (all.said.empty() ? "" : "\n") + one->said;
  }
  if (!operations.empty()) all.patch = operations.dump();
  return all;
}

}  // namespace retrial::deploy

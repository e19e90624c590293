#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "deploy/yaml/documents.h"

namespace retrial::deploy {

// What every pod gets, unless its annotations say otherwise.
struct InjectSettings {
  std::string image = "retrial:0.1.0";
  std::string pull_policy = "IfNotPresent";
  std::uint32_t uid = 65532;
  std::uint16_t port = 15001;  // of the listener that connections are redirected to
  bool asked_for = false;      // only pods that say retrial/inject: "true"
};

// What the pod template's annotations ask for (docs/staging-kubernetes.md has them all).
struct PodWish {
  enum class Mode : std::uint8_t { redirect, reverse } mode = Mode::redirect;
  std::optional<bool> inject;
  std::string image, pull_policy;
  std::string config;  // name of a ConfigMap with the key retrial.toml
  std::string faults;  // as `serve --inject`
  std::vector<std::uint16_t> ports, not_ports;
  std::vector<std::uint32_t> not_users;
  std::vector<std::string> not_nets;
  struct Service {
    std::string name;  // by which the application calls it
    std::string url;   // where it really is
    std::uint16_t port = 0;
  };
  std::vector<Service> services;  // mode reverse
};

// Reads annotations that begin with `retrial/`; one that is not known is an error of the user. `space`: the pod's
// namespace, empty where it is not known.
Result<PodWish> wish_of(const Json& annotations, const std::string& space, const InjectSettings& settings);

struct Injection {
  std::string patch;  // JSON (RFC 6902), of operations `add`; empty: the pod stays as it is
  std::string said;   // why it does, or what was done
};
// What stands at `key`; null: nothing does, or `of` is no object.
Json child(const Json& of, const char* key);

// Into a pod: `pod` is a Pod or a pod template, found at the JSON pointer `at` of what is to be patched. The same pod
// and settings give the same patch; an injected pod gives none. Errors, the user's, name what cannot be done with it.
Result<Injection> inject(const Json& pod, const std::string& at, const std::string& space,
                         const InjectSettings& settings);

// Into all pod templates of a manifest: Pod, Deployment, ReplicaSet, StatefulSet, DaemonSet, Job, CronJob, and List of
// them. Other kinds, and what is no object of Kubernetes, are left as they are.
Result<Injection> inject_object(const Json& object, const std::string& space, const InjectSettings& settings);

}  // namespace retrial::deploy

#pragma once
#include <string>
#include <vector>

#include "deploy/kubernetes/pod.h"

namespace retrial::deploy {

// What is put into a pod. All of it passes PodSecurity `restricted`, but for the init container, which needs NET_ADMIN.
inline constexpr auto kSidecar = "retrial";
inline constexpr auto kRedirectInit = "retrial-redirect";
inline constexpr auto kVolume = "retrial";  // the trace, and the authority
inline constexpr auto kConfigVolume = "retrial-config";

Json redirect_init(const PodWish& wish, const InjectSettings& settings);
// A native one: an init container that goes on (restartPolicy Always, Kubernetes 1.29 and later).
Json sidecar(const PodWish& wish, const InjectSettings& settings);
std::vector<Json> volumes(const PodWish& wish);
// Where the sidecar stands in for the nth service: an address of its own, so that two may have the same port.
std::string address_of_service(std::size_t nth);
// What the annotation retrial/status says: the same for the same wish and settings.
std::string status_of(const PodWish& wish, const InjectSettings& settings);

}  // namespace retrial::deploy

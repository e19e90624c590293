#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "deploy/kubernetes/pod.h"
#include "policies/fault_plan.h"

namespace retrial::deploy {
namespace {

constexpr std::string_view kPrefix = "retrial/";
constexpr std::array<std::string_view, 13> kKnown{
    "inject",        "mode",         "image",        "image-pull-policy", "config", "faults", "ports",
    "exclude-ports", "exclude-uids", "exclude-nets", "services",          "status", "skipped"};

std::unexpected<Error> wrong_annotation(std::string_view key, std::string what) {
  return fail(std::move(what), fmt::format("annotation {}{}", kPrefix, key), Blame::user);
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  for (auto part : split(text, ','))
    if (auto word = trim(part); !word.empty()) out.emplace_back(word);
  return out;
}

template <class T>
Result<std::vector<T>> numbers(std::string_view key, std::string_view text, std::int64_t least, std::int64_t most) {
  std::vector<T> out;
  for (auto& word : words(text)) {
    auto number = to_int(word);
    if (!number || *number < least || *number > most)
      return wrong_annotation(
          key, fmt::format("expected numbers from {} to {} with commas between, got \"{}\"", least, most, word));
    out.push_back(static_cast<T>(*number));
  }
  return out;
}

// "api:8080" is api of the pod's own namespace; "api=http://api.shop.svc:8080" any other.
Result<PodWish::Service> service_of(const std::string& word, const std::string& space) {
  constexpr auto kExpected = "expected NAME:PORT, or NAME=URL such as api=http://api.shop.svc:8080, got \"{}\"";
  auto equals = word.find('=');
  PodWish::Service service;
  if (equals == word.npos) {
    auto colon = word.find(':');
    auto port = colon == word.npos ? std::nullopt : to_int(std::string_view(word).substr(colon + 1));
    if (!port || *port < 1 || *port > 65535 || colon == 0)
      return wrong_annotation("services", fmt::format(kExpected, word));
    service = {word.substr(0, colon), {}, static_cast<std::uint16_t>(*port)};
    if (service.name.find('.') != std::string::npos)
      return wrong_annotation("services", fmt::format("{}: a name with dots needs its URL: NAME=URL", service.name));
    if (space.empty())
      return wrong_annotation(
          "services",
          fmt::format("{}: the namespace is not known: say it with --namespace, or write {}=URL", word, service.name));
    service.url = fmt::format("http://{}.{}.svc:{}", service.name, space, service.port);
    return service;
  }
  service.name = word.substr(0, equals);
  service.url = word.substr(equals + 1);
  auto scheme = service.url.find("://");
  if (equals == 0 || scheme == std::string::npos) return wrong_annotation("services", fmt::format(kExpected, word));
  auto host = std::string_view(service.url).substr(scheme + 3);
  auto colon = host.rfind(':');
  auto port = colon == host.npos ? std::optional<std::int64_t>(service.url.starts_with("https") ? 443 : 80)
                                 : to_int(host.substr(colon + 1));
  if (!port || *port < 1 || *port > 65535) return wrong_annotation("services", fmt::format(kExpected, word));
  if (iequals(host.substr(0, colon), service.name))
    return wrong_annotation(
        "services", fmt::format("{} would lead to itself: write its full name in the URL, such as {}.NAMESPACE.svc",
                                word, service.name));
  service.port = static_cast<std::uint16_t>(*port);
  return service;
}

Result<void> read(PodWish& wish, std::string_view key, const std::string& text, const std::string& space) {
  if (key == "inject") {
    if (text != "true" && text != "false")
      return wrong_annotation(key, fmt::format("expected \"true\" or \"false\", got \"{}\"", text));
    wish.inject = text == "true";
  } else if (key == "mode") {
    if (text != "redirect" && text != "reverse")
      return wrong_annotation(key, fmt::format("expected \"redirect\" or \"reverse\", got \"{}\"", text));
    wish.mode = text == "redirect" ? PodWish::Mode::redirect : PodWish::Mode::reverse;
  } else if (key == "image") {
    wish.image = text;
  } else if (key == "image-pull-policy") {
    wish.pull_policy = text;
  } else if (key == "config") {
    wish.config = text;
  } else if (key == "faults") {
    if (auto plan = policies::parse_fault_plan(text); !plan) return wrong_annotation(key, plan.error().line());
    wish.faults = text;
  } else if (key == "ports" || key == "exclude-ports") {
    auto ports = numbers<std::uint16_t>(key, text, 1, 65535);
    if (!ports) return std::unexpected(ports.error());
    (key == "ports" ? wish.ports : wish.not_ports) = *ports;
  } else if (key == "exclude-uids") {
    auto users = numbers<std::uint32_t>(key, text, 0, 4294967294);
    if (!users) return std::unexpected(users.error());
    wish.not_users = *users;
  } else if (key == "exclude-nets") {
    wish.not_nets = words(text);
  } else if (key == "services") {
    for (auto& word : words(text)) {
      auto service = service_of(word, space);
      if (!service) return std::unexpected(service.error());
      wish.services.push_back(std::move(*service));
    }
  }
  return {};
}

}  // namespace

Result<PodWish> wish_of(const Json& annotations, const std::string& space, const InjectSettings& settings) {
  PodWish wish;
  wish.image = settings.image;
  wish.pull_policy = settings.pull_policy;
  if (annotations.is_null()) return wish;
  if (!annotations.is_object()) return fail("expected a table", "metadata.annotations", Blame::user);
  for (auto& [name, value] : annotations.items()) {
    if (!name.starts_with(kPrefix)) continue;
    auto key = std::string_view(name).substr(kPrefix.size());
    if (std::ranges::find(kKnown, key) == kKnown.end()) {
      auto near = nearest(key, kKnown);
      return wrong_annotation(
          key, fmt::format("is not known{}", near ? fmt::format(", did you mean {}{}?", kPrefix, *near) : ""));
    }
    if (!value.is_string())
      return wrong_annotation(key, fmt::format("expected a text in quotes, got {}", value.dump()));
    if (auto ok = read(wish, key, value.get<std::string>(), space); !ok) return std::unexpected(ok.error());
  }
  bool reverse = wish.mode == PodWish::Mode::reverse;
  if (reverse && wish.services.empty())
    return wrong_annotation(
        "services",
        "is missing: mode \"reverse\" needs to know whom the application calls, such as \"api:8080, db:5432\"");
  if (!reverse && !wish.services.empty()) return wrong_annotation("services", "belongs to retrial/mode: \"reverse\"");
  bool of_redirect =
      !wish.ports.empty() || !wish.not_ports.empty() || !wish.not_users.empty() || !wish.not_nets.empty();
  if (reverse && of_redirect)
    return wrong_annotation("mode", "\"reverse\" redirects nothing: ports, uids and nets belong to \"redirect\"");
  if (!wish.config.empty() && !wish.faults.empty())
    return wrong_annotation("faults", "stands beside retrial/config: write it as a [[rule]] there");
  auto faults = policies::parse_fault_plan(wish.faults.empty() ? "pass" : wish.faults);
  if (!reverse && faults && policies::meets_all(*faults))
    return wrong_annotation(
        "faults",
        "expected a percentage, such as \"10% of error(503)\": in mode \"redirect\" no fault is for "
        "everything that the pod calls; a [[rule]] of retrial/config may name a service or a host");
  return wish;
}

}  // namespace retrial::deploy

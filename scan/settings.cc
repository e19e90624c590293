#include "scan/settings.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "scan/libraries.h"
#include "scan/setting_lines.h"

namespace retrial::scan {
namespace {

// What is set below one key, by plain names: "maxattempts" of maxAttempts and max-attempts.
struct SettingGroup {
  std::string id;  // the path to it
  std::uint32_t line = 0, last_line = 0;
  std::string called;  // the key around it: an instance, a route
  std::map<std::string, std::string> set;

  std::string get(std::string_view name, std::string otherwise = {}) const {
    auto at = set.find(std::string(name));
    return at == set.end() || at->second.empty() ? otherwise : at->second;
  }
};

using SettingGroups = std::vector<SettingGroup>;

// `one` stands below the first `size` of its keys; where that key itself is told, another group begins.
void put_into_group(SettingGroups& groups, const Setting& one, std::size_t size) {
  std::string id, own;
  for (std::size_t k = 0; k < size; k++) id += one.path[k] + "\n";
  for (std::size_t k = size; k < one.path.size(); k++) own += plain_name(one.path[k]);
  auto last = std::ranges::find(groups.rbegin(), groups.rend(), id, &SettingGroup::id);
  if (last == groups.rend() || own.empty()) {
    groups.push_back({id, one.line, one.line, one.path[size - 1], {}});
    last = groups.rbegin();
  }
  last->last_line = std::max(last->last_line, one.line);
  auto& held = last->set[own];
  held += (held.empty() || one.value.empty() ? "" : ",") + one.value;
}

Location place_of(const SettingGroup& group, std::string_view by, Bound bound, Wait wait, std::string_view errors) {
  Location place;
  place.shape = Shape::library;
  place.line = group.line;
  place.last_line = group.last_line;
  place.by = by;
  if (group.called != by) place.calls = group.called;  // an instance
  place.bound = std::move(bound);
  place.wait = std::move(wait);
  for (auto one : split(errors, ','))
    if (!trim(one).empty()) place.back.emplace_back(trim(one));
  place.looked_at = place.back != std::vector<std::string>{"any"};
  return place;
}

bool is_on(const std::string& value) { return value == "true" || value == "yes"; }
bool says_none(std::string_view value) { return value.empty() || value.find_first_of("123456789") == value.npos; }

// gRPC's retryPolicy waits twice as long each time unless it says otherwise, and with jitter.
Location of_grpc(const SettingGroup& group) {
  auto times = group.get("backoffmultiplier", "2");
  Wait wait{times == "1" || times == "1.0" ? Wait::fixed : Wait::growing, true, false, group.get("initialbackoff")};
  return place_of(group, "retryPolicy", {Bound::count, "maxAttempts: " + group.get("maxattempts")}, std::move(wait),
                  group.get("retryablestatuscodes"));
}

Location of_istio(const SettingGroup& group) {
  return place_of(group, "retries", {Bound::count, "attempts: " + group.get("attempts")},
                  {Wait::growing, true, false, "25ms"},
                  group.get("retryon", "connect-failure,refused-stream,unavailable"));
}

Location of_envoy(const SettingGroup& group) {
  return place_of(group, "retry_policy", {Bound::count, "num_retries: " + group.get("numretries", "1")},
                  {Wait::growing, true, false, group.get("retrybackoffbaseinterval", "25ms")}, group.get("retryon"));
}

Location of_resilience4j(const SettingGroup& group) {
  auto wait = group.get("waitduration", "500ms");
  bool none = says_none(wait), grows = is_on(group.get("enableexponentialbackoff"));
  return place_of(group, "resilience4j.retry", {Bound::count, "maxAttempts: " + group.get("maxattempts", "3")},
                  {none    ? Wait::none
                   : grows ? Wait::growing
                           : Wait::fixed,
                   is_on(group.get("enablerandomizedwait")), false, none ? "" : wait},
                  group.get("retryexceptions", "any"));
}

Location of_microprofile(const SettingGroup& group) {
  auto times = group.get("maxretries", "3"), wait = group.get("delay", "0");
  auto bound = times != "-1" ? Bound{Bound::count, "maxRetries: " + times}
               : group.get("maxduration", "180000") == "0"
                   ? Bound{}
                   : Bound{Bound::time, "maxDuration: " + group.get("maxduration", "180000")};
  bool jitter = !says_none(group.get("jitter", "200"));  // of which a delay of nothing is made
  return place_of(group, "Retry", std::move(bound),
                  {says_none(wait) && !jitter ? Wait::none : Wait::fixed, jitter, false, wait},
                  group.get("retryon", "any"));
}

std::string language_of_settings(std::string_view path) {
  return path.ends_with(".json") ? "JSON" : path.ends_with(".properties") ? "properties" : "YAML";
}

}  // namespace

bool is_settings(std::string_view path) {
  auto name = lower(path.substr(path.rfind('/') + 1));
  if (name.ends_with(".json"))
    return name.find("config") != name.npos || name.find("envoy") != name.npos || name.find("service") != name.npos;
  return name.ends_with(".yml") || name.ends_with(".yaml") || name.ends_with(".properties");
}

std::vector<Location> retries_in_settings(std::string_view path, std::string_view text) {
  bool any = false;
  for (std::string_view word : {"retryPolicy", "retry_policy", "retries", "resilience4j", "Retry/"})
    any |= text.find(word) != text.npos;
  if (!any) return {};
  SettingGroups grpc, istio, envoy, resilience4j, microprofile;
  for (auto& one : read_settings(path, text)) {
    auto& keys = one.path;
    for (std::size_t k = 0; k < keys.size(); k++) {
      if (keys[k] == "retryPolicy") put_into_group(grpc, one, k + 1);
      if (keys[k] == "retries") put_into_group(istio, one, k + 1);
      if (keys[k] == "retry_policy") put_into_group(envoy, one, k + 1);
      if (keys[k] == "Retry" && path.ends_with(".properties") && k + 2 == keys.size())
        put_into_group(microprofile, one, k + 1);
      bool named = k >= 2 && (keys[k] == "instances" || keys[k] == "configs") && keys[k - 1] == "retry" &&
                   keys[k - 2] == "resilience4j" && k + 1 < keys.size();
      if (named) put_into_group(resilience4j, one, k + 2);
    }
  }
  std::vector<Location> found;
  auto add = [&](const SettingGroups& groups, Location (*make)(const SettingGroup&), std::string_view must,
                 bool may_be_none) {
    for (auto& group : groups) {
      if (!must.empty() && group.get(must).empty()) continue;
      if (may_be_none && says_none(group.get(must))) continue;  // 0: none
      found.push_back(make(group));
      found.back().language = language_of_settings(path);
    }
  };
  add(grpc, of_grpc, "maxattempts", true);
  add(istio, of_istio, "attempts", true);
  add(envoy, of_envoy, "retryon", false);
  add(resilience4j, of_resilience4j, {}, false);
  add(microprofile, of_microprofile, {}, false);
  std::ranges::sort(found, {}, &Location::line);
  return found;
}

}  // namespace retrial::scan

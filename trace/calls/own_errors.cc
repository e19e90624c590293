#include "trace/calls/own_errors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/text.h"
#include "trace/calls/service_name.h"
#include "trace/calls/services.h"

namespace retrial::trace {
namespace {

using Json = nlohmann::json;

std::string form_of(const Json& value) {
  std::string out;
  if (value.is_object()) {
    for (auto& [name, member] : value.items())
      out += fmt::format("{}{}:{}", out.empty() ? "" : ",", name, form_of(member));
    return "{" + out + "}";
  }
  if (value.is_array()) return fmt::format("[{}]", value.empty() ? "" : form_of(value.front()));
  return value.type_name();
}

bool is_whole_error(const Exchange& e) {
  return e.service_status >= 400 && e.service_status < 600 && !e.fired && e.ending == Ending::answered &&
         e.method != "HEAD" && !e.response_sample.empty() && e.response_bytes <= kSampleBytes;
}

}  // namespace

std::optional<OwnErrors::Seen> OwnErrors::seen_in(const Exchange& e) {
  ErrorShape shape{e.service_status, std::string(find(e.response_headers, "content-type")), e.response_sample,
                   e.target};
  if (!is_whole_error(e) || !has_shape(shape.content_type)) return {};
  auto form = lower(trim(shape.content_type.substr(0, shape.content_type.find(';'))));
  if (form.find("json") != form.npos) {
    auto json = Json::parse(shape.body, nullptr, false);
    if (json.is_discarded()) return {};
    form += form_of(json);
  }
  return Seen{std::move(shape), std::move(form), 1};
}

void OwnErrors::learn(const Run& run, const std::set<std::string>& bare) {
  // Services whose ports move are told apart by what is asked of them: one that no test asks the same twice may have
  // several names, and is still at one port.
  std::map<std::string_view, std::set<std::string>> names;
  for (auto& e : run.exchanges)
    if (e.service.find(":*") != e.service.npos && e.host.find(':') != e.host.npos) names[e.host].insert(e.service);
  for (auto& e : run.exchanges) {
    if (e.profile != kGeneric || bare.contains(e.service)) continue;
    auto one = seen_in(e);
    if (!one) continue;
    auto services = names[e.host];
    services.insert(e.service);
    for (auto& service : services) {
      auto& seen = seen_[service];
      auto same = std::ranges::find_if(
          seen, [&](auto& s) { return s.shape.status == one->shape.status && s.form == one->form; });
      if (same == seen.end()) {
        seen.push_back(*one);
        continue;
      }
      same->times++;
      if (std::tie(one->shape.body, one->shape.target) < std::tie(same->shape.body, same->shape.target))
        same->shape = one->shape;
    }
  }
}

const ErrorShape* OwnErrors::nearest(const std::string& service, const std::string& address, int status) const {
  auto it = seen_.find(service);
  if (it == seen_.end()) it = seen_.find(address);
  // One whose port moves, of a client of which one run alone is known.
  if (it == seen_.end()) it = std::ranges::find_if(seen_, [&](auto& s) { return service_name(s.first) == service; });
  // Or of its siblings: tests that start a server each ask each something else.
  auto port_moves = one_for_all_ports(service);
  if (it == seen_.end() && port_moves.ends_with('*'))
    it = std::ranges::find_if(seen_, [&](auto& s) { return one_for_all_ports(s.first) == port_moves; });
  if (it == seen_.end()) return nullptr;
  std::map<std::string, int> often;
  for (auto& seen : it->second) often[seen.form] += seen.times;
  auto rank = [&](const Seen& seen) {
    auto apart = std::abs(seen.shape.status - status);
    bool of_class = seen.shape.status / 100 == status / 100;
    return std::tuple(!of_class, of_class ? apart : -often[seen.form], apart, -seen.times, std::string_view(seen.form));
  };
  return &std::ranges::min_element(it->second, {}, rank)->shape;
}

std::vector<std::string> OwnErrors::remarks() const {
  std::map<std::string, std::set<int>> by_name;
  for (auto& [service, seen] : seen_)
    for (auto& one : seen) by_name[one_for_all_ports(service)].insert(one.shape.status);
  std::vector<std::string> services;
  for (auto& [name, statuses] : by_name) services.push_back(fmt::format("{} ({})", name, fmt::join(statuses, ", ")));
  if (services.empty()) return {};
  return {fmt::format("errors are injected in the shape of the service's own: {}", fmt::join(services, ", "))};
}

}  // namespace retrial::trace

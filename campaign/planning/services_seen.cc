#include "campaign/planning/services_seen.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "campaign/report/words.h"

namespace retrial::campaign {

std::vector<trace::ServiceSeen> services_seen(const trace::Run& run, const Config& config) {
  std::map<std::string, trace::ServiceSeen> seen;
  for (auto& e : run.exchanges) {
    auto& s = seen[e.service];
    s.address = e.service;
    if (s.profile.empty() || s.profile == "generic") s.profile = e.profile;
    s.exchanges++;
    if (auto* known = config.at(e.service)) s.name = known->name;
  }
  std::vector<trace::ServiceSeen> out;
  for (auto& [address, s] : seen) out.push_back(std::move(s));
  return out;
}

bool listened_later(const trace::Run& run, std::string_view not_seen) {
  auto refused = not_seen.find(trace::kRefused);
  return refused != not_seen.npos &&
         std::ranges::count(run.exchanges, not_seen.substr(0, refused), &trace::Exchange::service) > 0;
}

std::vector<std::string> connections_left_alone(const trace::Run& run) {
  constexpr std::size_t kFew = 3;  // of one host: more are where somebody has looked until a service came up
  std::vector<std::string> out;
  std::map<std::string, std::vector<std::string>> refused;  // by host
  for (auto& name : run.capture.not_seen) {
    if (listened_later(run, name)) continue;
    auto address = name.substr(0, name.find(trace::kRefused));
    if (auto port = address.rfind(':'); address != name && port != address.npos)
      refused[address.substr(0, port)].push_back(name);
    else
      out.push_back(report::left_as_it_is(name));
  }
  for (auto& [host, names] : refused) {
    if (names.size() > kFew)
      out.push_back(fmt::format("connections refused at {} ports of {}: nobody listened there", names.size(), host));
    else
      std::ranges::transform(names, std::back_inserter(out), report::left_as_it_is);
  }
  if (run.capture.tunnels)
    out.push_back(fmt::format("{} connection(s) that speak no clear-text HTTP/1: passed unread", run.capture.tunnels));
  return out;
}

}  // namespace retrial::campaign

#include "campaign/sight.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "campaign/planning/services_seen.h"
#include "campaign/report/words.h"
#include "oracles/evidence.h"
#include "trace/calls/service_name.h"
#include "trace/calls/services.h"

namespace retrial::campaign {
using report::Sight;
namespace {

// What a line of what was left alone says, and what would mend it. The first that fits.
struct Mend {
  std::string_view part, mend;
};
constexpr Mend kMends[] = {
    {"does not trust our certificate", "SSL_CERT_FILE, or what it reads in its place, names its authority"},
    {"(outside)", "point the tests at a service on loopback or at a private address: only there are faults injected"},
    {"in another network namespace", "let the tests and the service be in one network namespace"},
    {"a higher limit", "ulimit -n"},
    {"cannot be read", "run the command as the user that runs retrial, without setuid"},
    {"no clear-text HTTP/1", "nothing: what is no HTTP is passed as it comes"},
    {"(late)", "less load, or --workers 1"},
    {"fails without any fault", "mend the test, or leave it out of the command; its last words are among the remarks"},
    {"by turns", "mend the test: it has to pass each time without faults"},
    {"cannot be loaded", "mend the file, or leave it out of the command"},
    {"gave no result", "run it with a runner that is known test by test (docs/agents.md)"},
    {"none of the command's tests", "let the tests themselves send them: what runs beside them is not put on trial"},
    {trace::kRefused,
     "start the service, or let Retrial do it: `start` in its [service.NAME] of retrial.toml (`retrial init` writes a "
     "first one)"},
};

std::string mend_of(std::string_view line) {
  auto it = std::ranges::find_if(kMends, [&](auto& m) { return line.find(m.part) != line.npos; });
  return it == std::end(kMends) ? "" : std::string(it->mend);
}

std::string http_of(const trace::Exchange& e) { return e.grpc.is ? "gRPC" : e.stream ? "HTTP/2" : "HTTP/1"; }

void read_services(const CampaignOutcome& outcome, const Config& config, Sight& sight) {
  std::map<std::string, std::set<std::string>> protocols;
  std::map<std::string, std::pair<std::size_t, std::size_t>> requests;  // all, and those without a call site
  for (auto& e : outcome.seen->exchanges) {
    if (oracles::is_look(e)) continue;
    auto address = trace::one_for_all_ports(e.service);
    protocols[address].insert(http_of(e));
    auto& [all, without] = requests[address];
    all++;
    without += !e.tag.site;
  }
  for (auto& s : services_seen(*outcome.seen, config)) {
    Sight::Service one{.address = trace::one_for_all_ports(s.address), .name = s.name, .profile = s.profile};
    if (one.profile.empty()) one.profile = "generic";
    auto known = std::ranges::find(sight.services, one.address, &Sight::Service::address);
    if (known != sight.services.end()) {
      if (known->profile != one.profile) known->profile += ", " + one.profile;
      continue;
    }
    one.protocols.assign(protocols[one.address].begin(), protocols[one.address].end());
    one.opened = std::ranges::any_of(outcome.opened, [&](auto& pair) {
      return trace::one_for_all_ports(pair.substr(0, pair.find(','))) == one.address;
    });
    std::tie(one.requests, one.without_site) = requests[one.address];
    sight.services.push_back(std::move(one));
  }
}

void read_others(const CampaignOutcome& outcome, Sight& sight) {
  auto steady = [](std::string_view address) { return trace::service_name(address) == address; };
  for (std::string_view line : outcome.seen->capture.not_seen) {
    auto address = line.substr(0, line.find(' '));
    bool refused = line.ends_with(trace::kRefused) && !listened_later(*outcome.seen, line);
    if (refused && steady(address)) sight.refused.emplace_back(address);
  }
  for (auto& address : outcome.reached)
    if (steady(address) && std::ranges::none_of(outcome.seen->exchanges, [&](auto& e) { return e.service == address; }))
      sight.unread.push_back(address);
}

void read_gaps(const CampaignOutcome& outcome, Sight& sight) {
  auto lines = outcome.record.left_alone;
  if (outcome.seen)
    for (auto& line : connections_left_alone(*outcome.seen))
      if (std::ranges::count(lines, line) == 0) lines.push_back(line);
  for (auto& line : lines) sight.gaps.push_back({line, mend_of(line)});
  if (!outcome.seen) return;
  auto& run = *outcome.seen;
  if (run.capture.unix_socket)
    sight.gaps.push_back(
        {fmt::format("{} over Unix sockets: not seen", report::counted(run.capture.unix_socket, "connection")),
         "let the client speak to its service over TCP, on loopback"});
  std::size_t all = 0, without = 0;
  for (auto& s : sight.services) all += s.requests, without += s.without_site;
  if (run.agents.empty() && all)
    sight.gaps.push_back({"no agent was heard from: call sites, and which test sends what, are not known",
                          "let what the command starts keep RETRIAL_*, PYTHONPATH, PYTEST_PLUGINS, NODE_OPTIONS, "
                          "RUBYOPT, PHP_INI_SCAN_DIR, LD_PRELOAD and "
                          "JAVA_TOOL_OPTIONS (docs/agents.md)"});
  else if (without)
    sight.gaps.push_back(
        {fmt::format("{} of {} come without a call site", without, report::counted(all, "request")),
         fmt::format("their place is named by operation alone; docs/agents.md says of which clients it is known{}",
                     std::ranges::count(run.agents, "native")
                         ? ". Programs of machine code tell it by their debug information (-g), which addr2line reads"
                         : "")});
  for (auto& process : run.real_time)
    sight.gaps.push_back({fmt::format("{}: its clock cannot be moved, so its waiting takes its time", process),
                          "let the command build it (Go), or link it dynamically; else [run] budget (docs/time.md)"});
}
}  // namespace

Sight sight_of(const CampaignOutcome& outcome, const Config& config) {
  auto& record = outcome.record;
  Sight sight{.runner = record.runner, .on_trial = outcome.tests, .capture = record.capture};
  if (sight.runner == "command") sight.behind.assign(outcome.runners.begin(), outcome.runners.end());
  sight.remarks = record.remarks;
  sight.trouble = record.incomplete;
  if (outcome.seen) {
    std::set<std::string> tests;
    for (auto& r : outcome.seen->results) tests.insert(r.test);
    sight.tests = tests.size();
    sight.agents = outcome.seen->agents;
    sight.moves_clocks = outcome.seen->compressed;
    read_services(outcome, config, sight);
    read_others(outcome, sight);
    if (sight.trouble.empty()) sight.trouble = outcome.seen->incomplete;
  }
  read_gaps(outcome, sight);
  return sight;
}

}  // namespace retrial::campaign

#include "campaign/planning/make_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "proxy/net/address.h"
#include "trace/fault_name.h"

namespace retrial::campaign {
namespace {

constexpr Nanos kBackoffGuess = 4 * kSecond;  // what a client may wait between attempts, until one was seen

bool has_effect(trace::Repeat repeat) { return repeat == trace::Repeat::effect || repeat == trace::Repeat::unknown; }

// What is done twice by an operation with an effect is where bugs are; the rest is worth asking after that.
double value_of(const policies::Policy& policy, trace::Repeat repeat) {
  if (!policy.value_by_effect) return policy.value;
  return policy.value * (repeat == trace::Repeat::safe ? 0.5 : has_effect(repeat) ? 2.0 : 1.5);
}

bool stalls(const policies::FaultPlan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [](auto& step) { return trace::is_silence(step.fault); });
}

// How many times an attempt is failed, as far as time goes: a plan that goes on failing costs the client's whole
// ladder.
int failures(const policies::FaultPlan& plan) {
  int n = 0;
  for (auto& step : plan.steps)
    if (!trace::is_pass(step.fault)) n += step.times ? step.times : 4;
  return n;
}

}  // namespace

// Seccomp shows us local services alone, a forward proxy is sent everything.
bool may_be_faulted(std::string_view service, const Config& config) {
  std::string host(service.substr(0, service.rfind(':')));
  if (auto* said = config.at(std::string(service)); said && said->allow) return true;
  if (host == "localhost") return true;
  auto at = proxy::Address::parse(host + ":1");
  return at && (at->loopback() || at->is_private());
}

std::vector<Found> targets_of(const Tests& tests, bool test_files, const Config& config) {
  auto found = find_targets(tests, test_files);
  std::erase_if(found, [&](auto& f) { return !may_be_faulted(f.target.service, config); });
  return found;
}

Case make_case(const Found& f, const policies::Policy& policy, const policies::FaultPlan& faults,
               const Config& config) {
  Case c;
  c.row = {.policy = std::string(policy.name),
           .plan = policies::show(faults),
           .test = f.target.test,
           .site = f.target.site,
           .service = f.target.service,
           .operation = f.target.operation,
           .occurrence = f.target.occurrence,
           .outcome = "planned",
           .hands_on_errors = f.hands_on_errors,
           .guards = f.guards,
           .compensation = f.compensation};
  c.faults = faults;
  c.policy = &policy;
  c.stalls = stalls(faults);
  c.repeat = f.repeat;
  c.places = f.places;
  c.value = value_of(policy, f.repeat);
  // Waiting takes its time only where clocks are never moved on.
  if (config.run.real_time) c.waits = c.stalls ? config.run.hold : failures(faults) * kBackoffGuess / 2;
  return c;
}

void meet_all(Case& c) {
  for (auto& place : c.places) place.occurrence = 0;
  c.row.occurrence = 0;
}

void append_case(Plan& plan, Case c, std::size_t number) {
  c.row.id = fmt::format("c{}", number);
  plan.cases.push_back(std::move(c));
}

std::string key_of(const Case& c) {
  return fmt::format("{}\n{}\n{}\n{}\n", c.target_key(), c.places.size() == 1 ? c.row.occurrence : 0, c.row.policy,
                     c.row.plan);
}

std::string first_few(const std::vector<std::string>& all) {
  constexpr std::size_t kNamed = 3;
  auto text = fmt::format("{}", fmt::join(std::span(all).first(std::min(all.size(), kNamed)), ", "));
  return all.size() > kNamed ? fmt::format("{}, and {} more", text, all.size() - kNamed) : text;
}

}  // namespace retrial::campaign

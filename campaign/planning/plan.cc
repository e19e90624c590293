#include "campaign/planning/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "campaign/planning/targets.h"
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

std::string Case::target_key() const {
  return fmt::format("{}\n{}\n{}\n{}", row.site ? trace::show(*row.site) : "", row.operation, row.service,
                     places.size() == 1 ? row.test : "");
}
std::string Case::family_key() const {
  return fmt::format("{}\n{}\n{}", row.site ? trace::show(*row.site) : row.service,
                     row.operation.substr(0, row.operation.find(' ')), row.plan);
}
bool Case::passes() const {
  auto& last = aim.plan.steps.back();
  return trace::is_pass(last.fault) && last.times == 0;
}
void Case::put(std::size_t at) {
  if (places[at].test != row.test) seen.clear();
  place = at;
  row.test = here().test;
  row.occurrence = here().occurrence;
  aim.target->test = row.test;
  aim.target->occurrence = row.occurrence;
}

namespace {
// Faults never reach the outside world: seccomp shows us local services alone, a forward proxy is sent everything.
bool may_be_faulted(std::string_view service, const Config& config) {
  std::string host(service.substr(0, service.rfind(':')));
  if (auto* said = config.at(std::string(service)); said && said->allow) return true;
  if (host == "localhost") return true;
  auto at = proxy::Address::parse(host + ":1");
  return at && (at->loopback() || at->is_private());
}
// Of `all` those in another test than the one where the same call is tried in any case.
std::vector<Found> elsewhere(const std::vector<Found>& tried, std::vector<Found> all) {
  std::set<std::pair<std::string, std::string>> known;
  for (auto& f : tried) known.emplace(f.site(), f.places.front().test);
  std::erase_if(all, [&](auto& f) { return known.contains({f.site(), f.places.front().test}); });
  return all;
}
}  // namespace

Plan make_plan(const std::map<std::string, const trace::Run*>& tests,
               const std::vector<const policies::Policy*>& policies, const Config& config) {
  Plan plan;
  auto found = find_targets(tests, false);
  if (found.empty()) {
    found = find_targets(tests, true);
    if (!found.empty())
      plan.remarks.emplace_back(
          "no application call sites were seen: calls made by the tests themselves are put on trial");
  }
  std::erase_if(found, [&](auto& f) { return !may_be_faulted(f.target.service, config); });
  auto& coverage = config.run.coverage;
  auto asked_for = covered(found, coverage.empty() ? "c0" : coverage);
  plan.targets = asked_for.size();

  std::set<std::string> sites_tried, repeated;
  bool further = false;
  auto add = [&](const Found& f, const policies::Policy& policy, const policies::FaultPlan& faults) {
    Case c;
    c.further = further;
    c.row = {.policy = std::string(policy.name),
             .plan = policies::show(faults),
             .test = f.target.test,
             .site = f.target.site,
             .service = f.target.service,
             .operation = f.target.operation,
             .occurrence = f.target.occurrence,
             .outcome = "planned"};
    c.row.id = fmt::format("c{}", plan.cases.size() + 1);
    c.aim = {f.target, faults};
    c.policy = &policy;
    c.stalls = stalls(faults);
    c.repeat = f.repeat;
    c.places = f.places;
    c.value = value_of(policy, f.repeat);
    // Waiting takes its time only where clocks are never moved on.
    if (config.run.real_time) c.waits = c.stalls ? config.run.hold : failures(faults) * kBackoffGuess / 2;
    plan.cases.push_back(std::move(c));
    bool loses = std::any_of(faults.steps.begin(), faults.steps.end(),
                             [](auto& s) { return s.fault.name == trace::FaultName::lost_response; });
    if (loses && has_effect(f.repeat)) repeated.insert(f.target.service + " " + f.target.operation);
  };
  auto add_all = [&](const std::vector<Found>& of) {
    for (auto* policy : policies)
      for (auto& f : of) {
        for (auto& faults : policy->plans) add(f, *policy, faults);
        for (auto& faults : policy->once_a_site)
          if (sites_tried.insert(f.site() + policies::show(faults)).second) add(f, *policy, faults);
      }
  };
  add_all(asked_for);
  if (coverage.empty()) {
    further = true;
    add_all(elsewhere(asked_for, covered(found, "c4")));
  }
  plan.repeated.assign(repeated.begin(), repeated.end());
  return plan;
}

}  // namespace retrial::campaign

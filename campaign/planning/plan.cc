#include "campaign/planning/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "campaign/planning/answers_read.h"
#include "campaign/planning/deaths.h"
#include "campaign/planning/looks.h"
#include "campaign/planning/make_case.h"
#include "campaign/planning/named.h"
#include "campaign/planning/near_misses.h"
#include "campaign/planning/targets.h"
#include "trace/calls/services.h"
#include "trace/fault_name.h"
#include "trace/profiles/profile.h"

namespace retrial::campaign {
namespace {
// Of `all` those in another test than the one where the same call is tried in any case.
std::vector<Found> elsewhere(const std::vector<Found>& tried, std::vector<Found> all) {
  std::set<std::pair<std::string, std::string>> known;
  for (auto& f : tried) known.emplace(f.site(), f.places.front().test);
  std::erase_if(all, [&](auto& f) { return known.contains({f.site(), f.places.front().test}); });
  return all;
}

// Of calls that a test makes several times the last, at the best place that has one.
std::vector<Found> last_of_several(std::vector<Found> found) {
  for (auto& f : found) {
    std::erase_if(f.places, [](auto& place) { return place.last == 0; });
    if (f.places.empty()) continue;
    f.places.erase(f.places.begin() + 1, f.places.end());
    auto& place = f.places.front();
    place.occurrence = place.last;
    f.target.test = place.test;
    f.target.occurrence = place.occurrence;
  }
  std::erase_if(found, [](auto& f) { return f.places.empty(); });
  return found;
}

// Does its service tell of its own time-outs as this plan does?
bool may_time_out(const Found& f, const policies::FaultPlan& faults) {
  auto* profile = trace::profile_named(f.profile);
  return profile && std::ranges::all_of(faults.steps, [&](auto& step) {
           return step.fault.status == 0 || profile->times_out(step.fault.status);
         });
}

// Each operation that may come second: held by the first of these plans that is long enough for its pairs. Two delays
// in one test might mend each other.
std::vector<Case> held_cases(const Tests& tests, const policies::Policy& policy, const Config& config) {
  std::vector<Case> cases;
  for (auto& turn : may_turn(tests)) {
    if (!may_be_faulted(turn.found.target.service, config)) continue;
    auto* plan = &policy.plans.front();
    for (auto& longer : policy.plans)
      if (policies::fault_of(*plan, 1).delay < turn.delay) plan = &longer;
    cases.push_back(make_case(turn.found, policy, *plan, config));
  }
  return cases;
}

// Each write at which a death may be seen, in a run of its own.
std::vector<Case> deadly_cases(const Tests& tests, const SeenDeaths& deaths, const policies::Policy& policy,
                               const Config& config) {
  std::vector<Case> cases;
  for (auto& death : may_die(tests, deaths)) {
    if (!may_be_faulted(death.found.target.service, config)) continue;
    auto c = make_case(death.found, policy, death.plan, config);
    c.value = death.value;
    c.alone = c.single = true;
    cases.push_back(std::move(c));
  }
  return cases;
}

// The line that sends it, to which service, and by which method: a client treats what has a body, or may not be
// repeated, by other rules.
std::string line_of(const Found& f) {
  auto& site = f.target.site;
  auto method = f.target.operation.substr(0, f.target.operation.find(' '));
  return site ? fmt::format("{} {} {}:{}", f.target.service, method, site->file, site->line)
              : fmt::format("{} {}", f.target.service, method);
}

}  // namespace

Plan make_plan(const Tests& tests, const std::vector<const policies::Policy*>& policies, const Config& config,
               const SeenDeaths& deaths) {
  Plan plan;
  auto found = targets_of(tests, false, config);
  if (found.empty()) {
    found = targets_of(tests, true, config);
    if (!found.empty())
      plan.remarks.emplace_back(
          "no application call sites were seen: calls made by the tests themselves are put on trial");
  }
  if (auto failing = never_answered_well(tests, found); !failing.empty())
    plan.remarks.push_back("answered with an error without any fault, so not on trial: " + first_few(failing));
  auto& run = config.run;
  auto asked_for = covered(found, run.coverage.empty() ? "c0" : run.coverage);
  if (run.once) asked_for = once_a_site(std::move(asked_for));
  if (run.coverage.empty() && !run.once) add_unplaced_elsewhere(found, asked_for);

  std::map<std::string_view, Named> named;
  auto wants = [&](const policies::Policy& policy, const Found& f) {
    if (policy.of_opaque_bodies && run.policies.empty() && !reads_opaque(f)) return false;
    if (policy.of_json_bodies && run.policies.empty() && !reads_json(f)) return false;
    auto& word = policy.where_named;
    auto whom = policy.named_anywhere ? Named::By::application : Named::By::chain;
    return word.empty() || !run.policies.empty() ||
           named.try_emplace(word, word, tests, whom).first->second.by(f.target);
  };
  std::set<std::string> sites_tried;
  Looks looks;
  auto add_all = [&](const std::vector<Found>& of, bool further, bool last = false) {
    auto add_case = [&](const Found& f, const policies::Policy& policy, const policies::FaultPlan& faults) {
      if (last && looks.polled(f)) return;
      auto c = make_case(f, policy, faults, config);
      c.further = further;
      c.at_last = last;
      if (policy.every_call || (policy.every_look && !last && looks.again(f))) meet_all(c);
      append_case(plan, std::move(c), plan.cases.size() + 1);
    };
    for (auto* policy : policies) {
      if (policy->of_near_misses || policy->of_deaths || (last && !policy->last_too)) continue;
      for (auto& f : of) {
        if (!wants(*policy, f)) continue;
        for (auto& faults : policy->plans) add_case(f, *policy, faults);
        for (auto& faults : policy->where_it_times_out)
          if (may_time_out(f, faults)) add_case(f, *policy, faults);
        for (auto& faults : policy->once_a_site)
          if (sites_tried.insert(f.site() + policies::show(faults)).second) add_case(f, *policy, faults);
        if (f.profile == "grpc") continue;
        for (auto& faults : policy->once_a_line)
          if (sites_tried.insert(line_of(f) + policies::show(faults)).second) add_case(f, *policy, faults);
      }
    }
  };
  add_all(asked_for, false);
  if (!run.once) add_all(last_of_several(asked_for), false, true);
  for (auto* policy : policies)
    if (policy->of_near_misses)
      for (auto& c : held_cases(tests, *policy, config)) append_case(plan, std::move(c), plan.cases.size() + 1);
  for (auto* policy : policies)
    if (policy->of_deaths)
      for (auto& c : deadly_cases(tests, deaths, *policy, config))
        append_case(plan, std::move(c), plan.cases.size() + 1);
  if (run.coverage.empty() && !run.once) add_all(elsewhere(asked_for, covered(found, "c4")), true);
  return plan;
}

std::size_t targets(const Plan& plan) {
  std::set<std::string> keys;
  for (auto& c : plan.cases)
    if (!c.further) keys.insert(c.target_key());
  return keys.size();
}

std::vector<std::string> repeated(const Plan& plan) {
  std::set<std::string> operations;
  for (auto& c : plan.cases) {
    bool loses =
        std::ranges::any_of(c.faults.steps, [](auto& s) { return s.fault.name == trace::FaultName::lost_response; });
    if (loses && c.repeat != trace::Repeat::safe)
      operations.insert(trace::one_for_all_ports(c.row.service) + " " + c.row.operation);
  }
  return {operations.begin(), operations.end()};
}

std::string id_of(std::span<const Case> cases) {
  auto hash = fnv1a("");
  for (auto& c : cases) hash = fnv1a(key_of(c), hash);
  return hex(hash, 16);
}
std::string id_of(std::span<const PlannedCase> cases) {
  auto hash = fnv1a("");
  for (auto& c : cases)
    hash = fnv1a(fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n", c.site ? trace::key_of(*c.site) : "", c.service,
                             c.operation, c.test, c.occurrence, c.policy->name, policies::show(c.faults)),
                 hash);
  return hex(hash, 16);
}

}  // namespace retrial::campaign

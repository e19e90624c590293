#include "campaign/planning/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "base/text.h"
#include "campaign/planning/deaths.h"
#include "campaign/planning/named.h"
#include "campaign/planning/near_misses.h"
#include "campaign/planning/targets.h"
#include "proxy/net/address.h"
#include "trace/calls/services.h"
#include "trace/fault_name.h"
#include "trace/profiles/message.h"
#include "trace/profiles/profile.h"

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

// What a case is, whatever the machine: where it may be tried anywhere, its test is a matter of time.
std::string key_of(const Case& c) {
  return fmt::format("{}\n{}\n{}\n{}\n", c.target_key(), c.places.size() == 1 ? c.row.occurrence : 0, c.row.policy,
                     c.row.plan);
}

}  // namespace

std::string Case::target_key() const {
  return fmt::format("{}\n{}\n{}\n{}", row.site ? trace::key_of(*row.site) : "", row.operation, row.service,
                     places.size() == 1 ? row.test : "");
}
std::string Case::call_key() const { return target_key() + (at_last ? "\nlast" : ""); }
std::string Case::family_key() const {
  return fmt::format("{}\n{}\n{}", row.site ? trace::key_of(*row.site) : row.service,
                     row.operation.substr(0, row.operation.find(' ')), row.plan);
}
bool Case::passes() const {
  auto& last = faults.steps.back();
  return trace::is_pass(last.fault) && last.times == 0;
}
bool Case::effect_stands() const {
  using enum trace::FaultName;
  auto first = policies::fault_of(faults, 1).name;
  return repeat == trace::Repeat::safe || first == lost_response || first == delay;
}
bool Case::interferes(const Case& other) const {
  auto holds = [](const Case& c) { return c.policy && c.policy->of_near_misses; };
  if (!holds(*this) && !holds(other)) return false;
  if (!holds(*this) || !holds(other)) return true;
  auto longest = policies::fault_of(policy->plans.back(), 1).delay + predict::kNear;
  return std::abs(here().at - other.here().at) < longest;
}
void Case::ask_further() {
  if (!policy || !policy->of_near_misses) return;
  faults = policy->plans.back();
  row.plan = policies::show(faults);
}
bool Case::targets(const trace::Call& call) const {
  auto& first = call.first();
  return first.operation == row.operation && first.tag.site == row.site;
}
void Case::put(std::size_t at) {
  if (places[at].test != row.test) seen.clear();
  place = at;
  row.test = here().test;
  row.occurrence = here().occurrence;
}

// Seccomp shows us local services alone, a forward proxy is sent everything.
bool may_be_faulted(std::string_view service, const Config& config) {
  std::string host(service.substr(0, service.rfind(':')));
  if (auto* said = config.at(std::string(service)); said && said->allow) return true;
  if (host == "localhost") return true;
  auto at = proxy::Address::parse(host + ":1");
  return at && (at->loopback() || at->is_private());
}

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

std::vector<Found> targets_of(const Tests& tests, bool test_files, const Config& config) {
  auto found = find_targets(tests, test_files);
  std::erase_if(found, [&](auto& f) { return !may_be_faulted(f.target.service, config); });
  return found;
}

// Does its service tell of its own time-outs as this plan does?
bool may_time_out(const Found& f, const policies::FaultPlan& faults) {
  auto* profile = trace::profile_named(f.profile);
  return profile && std::ranges::all_of(faults.steps, [&](auto& step) {
           return step.fault.status == 0 || profile->times_out(step.fault.status);
         });
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

void add(Plan& plan, Case c, std::size_t number) {
  c.row.id = fmt::format("c{}", number);
  plan.cases.push_back(std::move(c));
}

// The same call, where this case says: at one place, if it names a test.
std::optional<Found> at_place(Found f, const PlannedCase& planned) {
  if (planned.test.empty()) return f;
  auto place = std::ranges::find(f.places, planned.test, &Place::test);
  if (place == f.places.end()) return {};
  auto& asked = planned.occurrence;
  if (asked && asked != place->occurrence && std::ranges::count(place->later, asked) == 0) return {};
  f.places = {*place};
  if (asked) f.places.front().occurrence = asked;
  f.target.test = planned.test;
  f.target.occurrence = f.places.front().occurrence;
  return f;
}

// Is it what the plan file says, but for lines? One that says no callers means all of them.
bool fits(const std::optional<trace::CallSite>& site, const std::optional<trace::CallSite>& said) {
  if (!site || !said) return !site && !said;
  auto frames = trace::frames_of(*site), wanted = trace::frames_of(*said);
  if (wanted.size() == 1) frames.resize(1);
  return std::ranges::equal(frames, wanted,
                            [](auto& a, auto& b) { return a.file == b.file && a.function == b.function; });
}

// Does a test look at the very same again and again, as a poll does? Each look is a call of its own.
bool looks_again(const Found& f) {
  constexpr std::ptrdiff_t kLooks = 3;
  return std::ranges::any_of(f.places, [&](auto& place) {
    std::map<std::string_view, std::ptrdiff_t> looks;
    for (auto& e : place.reference->exchanges)
      if (e.operation == f.target.operation && e.tag.site == f.target.site && e.tag.test == place.test &&
          trace::message::safe_method(e.method))
        if (++looks[e.target] >= kLooks) return true;
    return false;
  });
}

// Is it answered by a body that does not show by itself where it ends? So is a stream of gRPC's messages, of which some
// may come.
bool reads_opaque(const Found& f) {
  return std::ranges::any_of(f.places, [&](auto& place) {
    return std::ranges::any_of(place.reference->exchanges, [&](auto& e) {
      return e.operation == f.target.operation && e.tag.site == f.target.site &&
             (trace::message::opaque(e) || (e.grpc.is && e.grpc.responses > 1 && trace::carried_out(e)));
    });
  });
}

// Was it seen to be answered by one document of JSON, long enough that half of it is none?
bool reads_json(const Found& f) {
  constexpr std::uint64_t kLeast = 8;  // bytes
  auto tells_json = [](const trace::Exchange& e) {
    auto& body = e.response_sample;
    return e.method == "GET" && !e.grpc.is && trace::message::succeeded(e) && !trace::message::opaque(e) &&
           e.response_bytes >= kLeast && (body.starts_with('{') || body.starts_with('[')) &&
           trace::find(e.response_headers, "content-encoding").empty();
  };
  return std::ranges::any_of(f.places, [&](auto& place) {
    return std::ranges::any_of(place.reference->exchanges, [&](auto& e) {
      return e.operation == f.target.operation && e.tag.site == f.target.site && tells_json(e);
    });
  });
}

// The line that sends it, to which service, and by which method: a client treats what has a body, or may not be
// repeated, by other rules.
std::string line_of(const Found& f) {
  auto& site = f.target.site;
  auto method = f.target.operation.substr(0, f.target.operation.find(' '));
  return site ? fmt::format("{} {} {}:{}", f.target.service, method, site->file, site->line)
              : fmt::format("{} {}", f.target.service, method);
}

// The first few, and how many more there are.
std::string some(const std::vector<std::string>& all) {
  constexpr std::size_t kNamed = 3;
  auto text = fmt::format("{}", fmt::join(std::span(all).first(std::min(all.size(), kNamed)), ", "));
  return all.size() > kNamed ? fmt::format("{}, and {} more", text, all.size() - kNamed) : text;
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
    plan.remarks.push_back("answered with an error without any fault, so not on trial: " + some(failing));
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
  auto add_all = [&](const std::vector<Found>& of, bool further, bool last = false) {
    auto add_case = [&](const Found& f, const policies::Policy& policy, const policies::FaultPlan& faults) {
      auto c = make_case(f, policy, faults, config);
      c.further = further;
      c.at_last = last;
      if (policy.every_call || (policy.every_look && looks_again(f))) {
        if (last) return;
        for (auto& place : c.places) place.occurrence = 0;
        c.row.occurrence = 0;
      }
      add(plan, std::move(c), plan.cases.size() + 1);
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
      for (auto& c : held_cases(tests, *policy, config)) add(plan, std::move(c), plan.cases.size() + 1);
  for (auto* policy : policies)
    if (policy->of_deaths)
      for (auto& c : deadly_cases(tests, deaths, *policy, config)) add(plan, std::move(c), plan.cases.size() + 1);
  if (run.coverage.empty() && !run.once) add_all(elsewhere(asked_for, covered(found, "c4")), true);
  return plan;
}

Result<Plan> make_plan(const Tests& tests, std::span<const PlannedCase> planned, const Config& config) {
  Plan plan;
  auto found = targets_of(tests, true, config);
  std::set<std::string> taken;
  std::vector<std::string> unfit;
  for (auto& p : planned) {
    std::optional<Case> nearest;
    auto away = [&](const Case& c) { return p.site ? std::abs(c.row.site->line - p.site->line) : 0; };
    for (auto& f : found) {
      auto& t = f.target;
      if (t.service != p.service || t.operation != p.operation || !fits(t.site, p.site)) continue;
      auto there = at_place(f, p);
      if (!there) continue;
      auto c = make_case(*there, *p.policy, p.faults, config);
      if (!taken.contains(key_of(c)) && (!nearest || away(c) < away(*nearest))) nearest = std::move(c);
    }
    if (nearest) {
      taken.insert(key_of(*nearest));
      add(plan, std::move(*nearest), static_cast<std::size_t>(p.number));
    } else {
      unfit.push_back(fmt::format("line {} ({}{})", p.line, p.operation, p.site ? " at " + trace::show(*p.site) : ""));
    }
  }
  if (unfit.empty()) return plan;
  auto lines = some(unfit);
  if (plan.cases.empty())
    return fail(
        "no case of it fits a call of this suite; was it made for another commit, or for another suite? " + lines,
        "--plan", Blame::user);
  plan.remarks.push_back(
      fmt::format("{} of {} cases of the plan fit no call of this suite, or stand there twice, and are left out: {}",
                  unfit.size(), planned.size(), lines));
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

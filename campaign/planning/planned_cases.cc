// The cases of a plan file, found again in the suite as it is.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "campaign/planning/looks.h"
#include "campaign/planning/make_case.h"

namespace retrial::campaign {
namespace {

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

}  // namespace

Result<Plan> make_plan(const Tests& tests, std::span<const PlannedCase> planned, const Config& config) {
  Plan plan;
  auto found = targets_of(tests, true, config);
  std::set<std::string> taken;
  std::vector<std::string> unfit;
  Looks looks;
  for (auto& p : planned) {
    std::optional<Case> nearest;
    auto away = [&](const Case& c) { return p.site ? std::abs(c.row.site->line - p.site->line) : 0; };
    for (auto& f : found) {
      auto& t = f.target;
      if (t.service != p.service || t.operation != p.operation || !fits(t.site, p.site)) continue;
      auto there = at_place(f, p);
      if (!there) continue;
      auto c = make_case(*there, *p.policy, p.faults, config);
      if (!p.occurrence && (p.policy->every_call || (p.policy->every_look && looks.again(*there)))) meet_all(c);
      if (!taken.contains(key_of(c)) && (!nearest || away(c) < away(*nearest))) nearest = std::move(c);
    }
    if (nearest) {
      taken.insert(key_of(*nearest));
      append_case(plan, std::move(*nearest), static_cast<std::size_t>(p.number));
    } else {
      unfit.push_back(fmt::format("line {} ({}{})", p.line, p.operation, p.site ? " at " + trace::show(*p.site) : ""));
    }
  }
  if (unfit.empty()) return plan;
  auto lines = first_few(unfit);
  if (plan.cases.empty())
    return fail(
        "no case of it fits a call of this suite; was it made for another commit, or for another suite? " + lines,
        "--plan", Blame::user);
  plan.remarks.push_back(
      fmt::format("{} of {} cases of the plan fit no call of this suite, or stand there twice, and are left out: {}",
                  unfit.size(), planned.size(), lines));
  return plan;
}

}  // namespace retrial::campaign

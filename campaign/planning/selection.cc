#include "campaign/planning/selection.h"

#include <fmt/format.h>

#include <algorithm>

#include "campaign/report/words.h"
#include "policies/plans.h"
#include "scan/signs.h"
#include "scan/tried.h"

namespace retrial::campaign {
namespace {

using report::counted;

bool passes_by(const std::optional<trace::CallSite>& site, const ChangedFiles& changed) {
  return site && std::ranges::any_of(trace::frames_of(*site), [&](auto& f) { return changed.contains(f.file); });
}

void keep(Plan& plan, const ChangedFiles& changed) {
  auto before = targets(plan);
  auto unplaced = std::ranges::count_if(plan.cases, [](auto& c) { return !c.row.site && !c.further; });
  std::erase_if(plan.cases, [&](auto& c) { return !passes_by(c.row.site, changed); });
  auto left = before - targets(plan);
  auto line = fmt::format("--changed-since {}: {} of {} left out, whose call sites are in files without a change",
                          changed.revision(), left, counted(before, "call"));
  if (unplaced) line += ", or are not known";
  plan.remarks.push_back(std::move(line));
}

// What stays away for ever does so by a sign that leads back there.
void fail_by(Case& c, scan::Sign sign) {
  if (c.row.policy != "P3" || sign == scan::Sign::status) return;
  bool silent = sign == scan::Sign::silence;
  trace::FaultSpec fault{.name = silent ? trace::FaultName::stall : trace::FaultName::reset,
                         .point = silent ? trace::Point::after_request : trace::Point::before_request};
  c.faults = policies::always(fault);
  c.row.plan = policies::show(c.faults);
  c.stalls = silent;
}

void keep(Plan& plan, const std::vector<scan::Location>& retries) {
  auto before = targets(plan);
  scan::Through through(std::filesystem::current_path());
  std::erase_if(plan.cases, [&](auto& c) {
    auto at = std::ranges::find_if(retries, [&](auto& one) { return through(c.row.site, one); });
    if (at != retries.end()) fail_by(c, scan::sign_that_leads_back(*at));
    return at == retries.end();
  });
  plan.remarks.push_back(fmt::format("{} of {} lead through none of the retry locations", before - targets(plan),
                                     counted(before, "call")));
}

}  // namespace

Result<Plan> select(const Selection& selection, const References& refs,
                    const std::vector<const policies::Policy*>& policies, const Config& config) {
  auto& [planned, changed, retries, shard] = selection;
  Result<Plan> plan;
  std::size_t all = 0;
  if (planned) {
    auto ours = *planned;
    keep(ours, shard);
    all = planned->size();
    plan = make_plan(refs.tests, ours, config);
    if (plan && changed) keep(*plan, *changed);
    if (plan && retries) keep(*plan, *retries);
    if (plan) plan->id = id_of(*planned);
  } else {
    plan = make_plan(refs.tests, policies, config, refs.deaths);
    if (changed) keep(*plan, *changed);
    if (retries) keep(*plan, *retries);
    all = plan->cases.size();
    plan->id = id_of(plan->cases);
    keep(plan->cases, shard);
  }
  if (plan && !shard.whole())
    plan->remarks.push_back(fmt::format("shard {}: {} of {}", show(shard), plan->cases.size(), counted(all, "case")));
  return plan;
}

Forecast forecast(const Plan& plan, const References& refs, const Pace& pace) {
  std::vector<const Case*> asked_for, all;
  for (auto& c : plan.cases) {
    all.push_back(&c);
    if (!c.further) asked_for.push_back(&c);
  }
  Forecast out{.calls = targets(plan), .cases = asked_for.size(), .expected = expected_of(asked_for, refs, pace)};
  if (asked_for.size() < all.size())
    out.expected.time = std::max(out.expected.time, std::min(expected_of(all, refs, pace).time, cheap(refs)));
  return out;
}

std::vector<Forecast> forecasts(const Plan& plan, const Selection& selection, const References& refs,
                                const std::vector<const policies::Policy*>& policies, const Config& config,
                                const Pace& pace) {
  std::vector<Forecast> out{forecast(plan, refs, pace)};
  if (selection.planned) return out;
  auto other = config;
  for (auto* coverage : {"c0", "c1", "c2", "c3", "c4"}) {
    other.run.coverage = coverage;
    auto there = select(selection, refs, policies, other);
    if (!there) continue;
    out.push_back(forecast(*there, refs, pace));
    out.back().coverage = coverage;
  }
  return out;
}

}  // namespace retrial::campaign

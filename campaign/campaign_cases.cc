#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "campaign/campaign_impl.h"
#include "campaign/judging/site_samples.h"
#include "campaign/report/words.h"
#include "campaign/trials.h"

namespace retrial::campaign {

static constexpr double kWorkersOfCore = 4;  // at most

Nanos Campaign::time_left() const {
  auto budget = setting_.config.run.budget;
  return budget ? std::max<Nanos>(0, budget - spent()) : kNoLimit;
}

void Campaign::try_all(Plan& plan) {
  Trials trials(context_, refs_, plan, setting_.policies, out_.record, [&] { return time_left(); });
  if (auto ok = trials.run(); !ok) out_.record.incomplete = ok.error().line();  // what is known by now stands
  drop_further(plan);
  trials.settle();
  if (setting_.selection.shard.whole()) {  // else `merge` does
    auto compared = trials.compared_sites();
    take_from_clean(out_.record.clean, compared);
    keep_findings(std::move(compared), out_.record.findings);
  }
  std::size_t left = 0;
  auto suspicious = trials.suspicions();
  for (auto& c : plan.cases)
    if (c.row.outcome == "planned") {
      c.row.outcome = "left";
      // Without a budget there is nothing that could have left it, but for a fault of ours.
      auto why = executor_.interrupted()           ? "interrupted"
                 : !out_.record.incomplete.empty() ? out_.record.incomplete
                 : setting_.config.run.budget      ? "budget"
                                                   : "Retrial did not come to it";
      c.row.why = c.row.why.empty() ? why : fmt::format("{} ({})", c.row.why, why);
      left++;
    }
  if (suspicious && !executor_.interrupted() && out_.record.incomplete.empty())
    out_.record.incomplete = fmt::format(
        "in {} the budget ended between a suspicion and its confirmation: a longer --budget tells what they are",
        report::counted(suspicious, "case"));
  if (suspicious && executor_.interrupted())
    out_.record.remarks.push_back(fmt::format("in {} something was seen, and not confirmed before the interruption",
                                              report::counted(suspicious, "case")));
  if (left && !setting_.config.run.budget && !executor_.interrupted() && out_.record.incomplete.empty())
    out_.record.incomplete = fmt::format("{} were not tried, by a fault of ours", report::counted(left, "case"));
  if (left && setting_.config.run.budget && !executor_.interrupted())
    out_.record.remarks.push_back(fmt::format("the budget left {} of {} cases untried", left, plan.cases.size()));
  for (auto& c : plan.cases) out_.record.cases.push_back(c.row);
}

// Nobody asked for what goes further: what was not tried of it is no gap.
void Campaign::drop_further(Plan& plan) {
  auto all = std::ranges::count_if(plan.cases, &Case::further);
  std::erase_if(plan.cases, [](auto& c) { return c.further && c.planned() && c.row.why.empty(); });
  auto tried = std::ranges::count_if(plan.cases, &Case::further);
  if (all)
    out_.record.remarks.push_back(
        fmt::format("the same calls in other tests: {} of {} further cases were tried "
                    "(--coverage c4 tries them all)",
                    tried, all));
}

// More than one a core where runs mostly wait, and no more of our services are needed for that.
void Campaign::set_workers() {
  if (!refs_.side_by_side) return workers_.keep_to(1);
  auto started = std::ranges::any_of(setting_.config.services, [](auto& s) { return s.start.has_value(); });
  if (setting_.config.run.workers || started) return;
  workers_.keep_to(static_cast<int>(cores() / std::clamp(workers_.busy(), 1.0 / kWorkersOfCore, 1.0)));
}

void Campaign::show_plan(const Plan& plan) {
  std::vector<Case> asked_for;
  for (auto& c : plan.cases)
    if (!c.further) asked_for.push_back(c);
  for (auto& c : asked_for) out_.record.cases.push_back(c.row);
  out_.plan_file = plan_file_text(asked_for, fmt::format("{}", fmt::join(out_.record.command, " ")));
  out_.forecasts = forecasts(plan, setting_.selection, refs_, setting_.policies, setting_.config, pace());
  for (auto& f : out_.forecasts) f.expected.time += spent();
}

}  // namespace retrial::campaign

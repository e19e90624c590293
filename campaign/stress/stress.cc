#include "campaign/stress/stress.h"

#include <fmt/format.h>

#include <algorithm>

#include "campaign/planning/plan.h"
#include "campaign/planning/targets.h"
#include "campaign/trial.h"
#include "trace/comparing/slices.h"

namespace retrial::campaign {
namespace {

using Of = trace::Load::Of;

trace::CaseRecord row_of(const Target& target) {
  return {.policy = std::string(trace::kStressed),
          .test = target.test,
          .site = target.site,
          .service = target.service,
          .operation = target.operation,
          .outcome = "planned"};
}
std::string place_of(const trace::CaseRecord& row) {
  return fmt::format("{} {} {}", row.site ? trace::show(*row.site) : "", row.service, row.operation);
}

}  // namespace

Stress::Stress(CampaignContext& context, trace::CampaignRecord& record, std::function<Nanos()> time_left)
    : context_(context), record_(record), time_left_(std::move(time_left)) {}

Result<const trace::Run*> Stress::alone(const std::string& test) {
  if (auto it = context_.alone.find(test); it != context_.alone.end()) return it->second;
  auto run = context_.execute(context_.spec_for({test}, trace::RunKind::alone));
  if (run && !trace::result_of(**run, test) && context_.wide.insert(test).second)
    run = context_.execute(context_.spec_for({test}, trace::RunKind::alone));
  if (!run) return run;
  if ((*run)->incomplete.empty() && passed(**run, test))
    context_.alone[test] = *run;
  else
    not_alone_.insert(test);
  return run;
}

std::vector<Stress::Tried> Stress::calls_of(const References& refs) {
  auto found = find_targets(refs.tests, false);
  if (found.empty()) found = find_targets(refs.tests, true);
  std::vector<Tried> calls;
  for (auto& f : found) {
    if (!may_be_faulted(f.target.service, context_.config)) continue;
    auto row = row_of(f.target);
    auto* reference = f.places.front().reference;
    if (auto why = why_none_grows(row, *reference); !why.empty())
      record_.not_judged.push_back(trace::judged(row, std::move(why)));
    calls.push_back({row, reference, series_of(row, *reference)});
  }
  return calls;
}

void Stress::name_others(const References& refs, const std::vector<Tried>& calls) {
  std::set<std::string> named;
  for (auto& call : calls) named.insert(place_of(call.row));
  for (auto& [test, run] : refs.tests)
    for (auto& [exchange, found] : every_call(test, *run)) {
      auto row = row_of(found.target);
      auto why = why_none_grows(row, *run);
      if (why.empty() || !may_be_faulted(row.service, context_.config) || !named.insert(place_of(row)).second) continue;
      record_.not_judged.push_back(trace::judged(row, std::move(why)));
    }
}

Result<void> Stress::run(const References& refs) {
  auto calls = calls_of(refs);
  name_others(refs, calls);
  std::size_t number = 0, total = 0;
  for (auto& call : calls) total += call.series.size();
  auto try_those = [&](auto wanted) -> Result<void> {
    for (auto& [row, reference, all] : calls)
      for (auto& series : all) {
        if (!wanted(series)) continue;
        context_.live.show(
            {.phase = policy_of(series),
             .number = ++number,
             .total = total,
             .what = fmt::format("{} at {}", row.operation, row.site ? trace::show(*row.site) : row.service),
             .findings = record_.findings.size()});
        if (auto ok = try_series(row, series); !ok) return ok;
      }
    return {};
  };
  if (auto ok = try_those([](auto& s) { return s.without_end(); }); !ok) return ok;
  if (auto ok = try_those([](auto& s) { return s.of == Of::entries || s.of == Of::bytes; }); !ok) return ok;
  if (auto ok = try_together(refs); !ok) return ok;
  return try_those([](auto& s) { return s.takes_real_time(); });
}

Result<const trace::Run*> Stress::ready(const trace::CaseRecord& row) {
  auto leave = [&](std::string outcome, std::string why) {
    record_.cases.push_back(row);
    record_.cases.back().outcome = std::move(outcome);
    record_.cases.back().why = std::move(why);
    return nullptr;
  };
  if (context_.executor.interrupted()) return leave("left", "interrupted");
  if (time_left_() == 0) return leave("left", "budget");
  if (!not_alone_.contains(row.test)) {
    auto usual = alone(row.test);
    if (!usual) return std::unexpected(usual.error());
  }
  if (not_alone_.contains(row.test)) return leave("not_fired", "alone, without any fault, its test does not pass");
  return context_.alone.at(row.test);
}

Result<void> Stress::try_series(trace::CaseRecord row, Series series) {
  row.policy = policy_of(series);
  auto alone = ready(row);
  if (!alone) return std::unexpected(alone.error());
  return *alone ? try_series(std::move(row), std::move(series), **alone) : Result<void>{};
}

// In the tests that join what no other has joined. What grows too fast in one of them alone has been told.
Result<void> Stress::try_together(const References& refs) {
  std::set<std::string> joined, told;
  for (auto& f : record_.findings)
    if (f.verdict == "quadratic") told.insert(f.test);
  for (auto& [test, reference] : refs.tests) {
    auto together = together_in(test, *reference);
    if (!together || !may_be_faulted(together->row.service, context_.config) || told.contains(test)) continue;
    bool other = false;
    for (std::size_t i = 0; i < together->calls.size(); i++)
      for (std::size_t k = 0; k < i; k++) other |= joined.insert(together->calls[k] + together->calls[i]).second;
    if (!other) continue;
    if (auto ok = try_series(together->row, together->series); !ok) return ok;
  }
  return {};
}

Result<void> Stress::again(const trace::CaseRecord& row, const trace::Run& alone) {
  auto all = series_of(row, alone);
  if (auto together = together_in(row.test, alone)) all.push_back(together->series);
  for (auto& series : all)
    if (row.policy == policy_of(series))
      if (auto ok = try_series(row, series, alone); !ok) return ok;
  return {};
}

Result<void> Stress::try_series(trace::CaseRecord row, Series series, const trace::Run& alone) {
  row.policy = policy_of(series);
  row.reference = alone.id;
  row.runs.clear();
  row.id = fmt::format("c{}", record_.cases.size() + 1);
  auto ok = try_runs(row, std::move(series), alone);
  for (auto run : row.runs) context_.runs.let_go(run);
  return ok;
}

Result<void> Stress::try_runs(trace::CaseRecord& row, Series series, const trace::Run& alone) {
  auto measured = measure(row, series, alone);
  if (!measured) return std::unexpected(measured.error());
  const trace::Run* silent = nullptr;
  if (measured->whole && series.of == Of::silence) {
    silent = measured->runs.front();
    auto drip = drip_after(row, *silent, alone);
    if (!drip) return {};  // who has no time-outs is found by `run`
    series = *drip;
    measured = measure(row, series, alone);
    if (!measured) return std::unexpected(measured.error());
  }
  // A list that is not told in pages is no gap in what was tried, nor is an answer without a body.
  bool meant = series.of != Of::silence && (series.of != Of::pages || !series.member.empty());
  if (measured->runs.empty() && row.outcome == "not_fired" && !meant) return {};
  if (!measured->runs.empty()) {
    if (silent) measured->runs.insert(measured->runs.begin(), silent);
    conclude(row, series, alone, *measured);
  }
  record_.cases.push_back(row);
  return {};
}

}  // namespace retrial::campaign

#include "campaign/stress/stress.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "campaign/planning/plan.h"
#include "campaign/planning/targets.h"
#include "campaign/report/words.h"
#include "campaign/trial.h"
#include "oracles/oracle.h"
#include "trace/comparing/comparison.h"
#include "trace/comparing/slices.h"

namespace retrial::campaign {
namespace {

using Of = trace::Load::Of;

constexpr Nanos kMostWork = 10 * kSecond;  // of a run: who works for longer is ended, and is slow
// Below these it is not worth to look at smaller sizes: as oracles/growth.cc has them.
constexpr double kStandsOut = 0.25;
constexpr Nanos kLeastWork = 40 * kMillisecond;
constexpr std::int64_t kPages = 1000;
constexpr std::uint64_t kRequestsOfOne = 2;
constexpr std::string_view kOwnError = "the client ended with an error of its own before it had taken all in";

std::uint64_t more_requests(const trace::Load& load, const trace::Run& alone) {
  return load.requests - std::min<std::uint64_t>(load.requests, alone.exchanges.size());
}
std::int64_t more_memory(const trace::Load& load, const trace::Run& alone) {
  return static_cast<std::int64_t>(load.memory) - static_cast<std::int64_t>(alone.memory);
}

bool stands_out(const trace::Load& load, const Series& series, const trace::Run& alone, Nanos usual) {
  auto work = load.cpu - usual, least = static_cast<Nanos>(kStandsOut * static_cast<double>(usual));
  auto size = static_cast<std::uint64_t>(load.size);
  switch (load.of) {
    case Of::pages:
      if (load.size >= kPages) return true;
      [[fallthrough]];
    case Of::entries:
      return work >= std::max(kLeastWork, least) || more_requests(load, alone) > size + 1;
    case Of::errors:
      return more_requests(load, alone) > kRequestsOfOne * size;
    case Of::bytes:
      return 2 * more_memory(load, alone) >= load.size;
    case Of::drip:
      return load.waited > series.own + series.own / 4;
    case Of::silence:
      break;
  }
  return false;
}

std::string what_it_cost(const trace::Load& load, const trace::Run& alone) {
  auto work = static_cast<double>(std::max<Nanos>(0, load.cpu - alone.cpu)) / kSecond;
  auto more = fmt::format("{} and {:.2f} s of work more", report::counted(more_requests(load, alone), "request"), work);
  switch (load.of) {
    case Of::entries:
      return fmt::format("lists {} times as long: {}", load.size, more);
    case Of::pages:
      return fmt::format("{} more: {}", report::counted(static_cast<std::size_t>(load.size), "page"), more);
    case Of::errors:
      return fmt::format("{}: {}", report::counted(static_cast<std::size_t>(load.size), "error"), more);
    case Of::bytes:
      return fmt::format("a body of {} MiB: {} MiB of memory more", load.size >> 20, more_memory(load, alone) >> 20);
    case Of::drip:
    case Of::silence:
      return fmt::format("an answer that dripped: it was over after {:.1f} s",
                         static_cast<double>(load.waited) / kSecond);
  }
  return {};
}

std::string why_spared(const trace::Run& run, const trace::CaseRecord& row) {
  for (auto& e : run.exchanges)
    if (is_of(e, row) && !e.evidence.empty()) return e.evidence;
  return oracles::why_not_fired(run);
}

// Did the client take all of it in? It did where its test goes on to look at what it got, and even where that is not
// what it expects. Whoever ends with another error has not.
bool took_it_in(const trace::Run& run, const std::string& test) {
  auto* result = trace::result_of(run, test);
  if (!result || run.stop != trace::Stop::exited) return true;
  return !trace::bad(*result) || (!result->chain.empty() && result->chain.front().in_test);
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

Result<void> Stress::run(const References& refs) {
  auto found = find_targets(refs.tests, false);
  if (found.empty()) found = find_targets(refs.tests, true);
  std::erase_if(found, [&](auto& f) { return !may_be_faulted(f.target.service, context_.config); });
  std::size_t number = 0;
  for (auto& f : found) {
    trace::CaseRecord row{.policy = std::string(trace::kStressed),
                          .test = f.target.test,
                          .site = f.target.site,
                          .service = f.target.service,
                          .operation = f.target.operation,
                          .outcome = "planned"};
    context_.live.show({.phase = "stress",
                        .number = ++number,
                        .total = found.size(),
                        .what = fmt::format("{} at {}", row.operation, row.site ? trace::show(*row.site) : row.service),
                        .findings = record_.findings.size()});
    if (auto ok = try_call(row, *f.places.front().reference); !ok) return ok;
  }
  return try_together(refs);
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

Result<void> Stress::try_call(const trace::CaseRecord& row, const trace::Run& reference) {
  auto alone = ready(row);
  if (!alone) return std::unexpected(alone.error());
  if (!*alone) return {};
  for (auto& series : series_of(row, reference))
    if (auto ok = try_series(row, series, **alone); !ok) return ok;
  return {};
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
    auto alone = ready(together->row);
    if (!alone) return std::unexpected(alone.error());
    if (!*alone) continue;
    if (auto ok = try_series(together->row, together->series, **alone); !ok) return ok;
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

Result<const trace::Run*> Stress::run_with(trace::CaseRecord& row, const Series& series, const trace::Run& alone) {
  auto spec = context_.spec_for({row.test}, trace::RunKind::with_fault);
  auto faults = policies::parse_fault_plan(row.plan);
  if (!faults) return std::unexpected(faults.error());
  std::optional<Target> target;
  if (!series.together) target = {row.test, row.site, row.service, row.operation, 0};
  aim(spec, {{target, *faults}}, context_.config.run);
  spec.case_id = row.id;
  spec.attempts_limit = static_cast<int>(alone.exchanges.size()) + static_cast<int>(kMostAdded);
  spec.deadline = CampaignContext::deadline_of(trace::time_of(alone));
  spec.work = std::max(kMostWork, 10 * alone.cpu);
  auto run = context_.execute(spec);
  if (run) row.runs.push_back((*run)->id);
  return run;
}

Result<bool> Stress::measure(trace::CaseRecord& row, const Series& series, const trace::Run& alone, Runs& runs) {
  auto give_up = [&](std::string outcome, std::string why) {
    row.outcome = std::move(outcome);
    row.why = std::move(why);
    return false;
  };
  auto usual = alone.cpu;
  bool ended_by_itself = false;
  Sizes sizes(series.most);
  while (auto size = sizes.next()) {
    if (context_.executor.interrupted()) return give_up("left", "interrupted");
    if (time_left_() == 0) return give_up("left", "budget");
    row.plan = plan_of(series, *size);
    auto ran = run_with(row, series, alone);
    if (!ran) return std::unexpected(ran.error());
    auto& run = **ran;
    if (!run.incomplete.empty()) return give_up("incomplete", run.incomplete);
    auto load = trace::load_of(run);
    if (!load) return give_up("not_fired", why_spared(run, row));
    // Neither says anything of how it grows; smaller ones may.
    bool refused = series.of == Of::entries && !took_it_in(run, row.test);
    if ((run.stop == trace::Stop::deadline && !series.without_end()) || refused) {
      sizes.saw(Sizes::Seen::too_long, *size);
      ended_by_itself |= refused;
      continue;
    }
    usual = std::min(usual, load->cpu);
    runs.push_back(&run);
    sizes.saw(stands_out(*load, series, alone, usual) ? Sizes::Seen::stands_out : Sizes::Seen::quiet,
              series.without_end() ? load->size : *size);
  }
  if (!runs.empty()) return true;
  if (ended_by_itself) return not_judged(row, kOwnError), false;
  return give_up("not_fired", "no run of it ended in time, at whatever size");
}

Result<void> Stress::try_series(trace::CaseRecord row, Series series, const trace::Run& alone) {
  row.policy = policy_of(series);
  row.reference = alone.id;
  row.runs.clear();
  Runs runs;
  row.id = fmt::format("c{}", record_.cases.size() + 1);
  auto measured = measure(row, series, alone, runs);
  if (!measured) return std::unexpected(measured.error());
  if (*measured && series.of == Of::silence) {
    auto drip = drip_after(row, *runs.front(), alone);
    if (!drip) return {};  // who has no time-outs is found by `run`
    series = *drip;
    measured = measure(row, series, alone, runs);
    if (!measured) return std::unexpected(measured.error());
  }
  // A list that is not told in pages is no gap in what was tried, nor is an answer without a body.
  bool meant = series.of != Of::silence && (series.of != Of::pages || !series.member.empty());
  if (*measured)
    conclude(row, series, alone, runs);
  else if (row.outcome == "not_fired" && !meant)
    return {};
  record_.cases.push_back(std::move(row));
  return {};
}

void Stress::not_judged(trace::CaseRecord& row, std::string_view why) {
  row.outcome = "run";
  record_.not_judged.push_back(trace::judged(row, std::string(why)));
}

void Stress::conclude(trace::CaseRecord& row, const Series& series, const trace::Run& alone, const Runs& runs) {
  row.outcome = "run";
  std::deque<trace::Comparison> comparisons;
  oracles::ComparedCase compared{&row, {}, context_.config.run.hold};
  auto largest = runs.front();
  for (auto* run : runs) {
    compared.comparisons.push_back(&comparisons.emplace_back(trace::compare(alone, *run)));
    if (auto load = trace::load_of(*run); load->of == series.of && load->size >= trace::load_of(*largest)->size)
      largest = run;
  }
  if (series.without_end()) row.plan = plan_of(series, series.most);
  for (auto& e : largest->exchanges)
    if (e.fired && !series.without_end()) row.plan = trace::show(e.fault);
  auto judgement = oracles::compare_sizes(compared);
  if (series.of == Of::errors) {
    auto of_layers = oracles::judge({&row, {compared.comparisons.front()}, compared.hold});
    for (auto& f : of_layers.findings)
      if (f.verdict == "retry-amplification") judgement.findings.push_back(std::move(f));
  }
  for (auto& f : judgement.findings) {
    f.confirmed = true;  // it was seen at several sizes, and not without the fault
    record_.findings.push_back(std::move(f));
  }
  std::ranges::move(judgement.notes, std::back_inserter(record_.notes));
  std::ranges::move(judgement.not_judged, std::back_inserter(record_.not_judged));
  if (!judgement.findings.empty() || !judgement.not_judged.empty()) return;
  if (series.of != Of::errors && series.of != Of::drip && !took_it_in(*largest, row.test))
    return not_judged(row, kOwnError);
  record_.clean.push_back(trace::judged(row, what_it_cost(*trace::load_of(*largest), alone)));
}

}  // namespace retrial::campaign

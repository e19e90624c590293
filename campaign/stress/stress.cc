#include "campaign/stress/stress.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "base/text.h"
#include "campaign/planning/last_words.h"
#include "campaign/planning/plan.h"
#include "campaign/trial.h"
#include "oracles/oracle.h"
#include "trace/comparing/comparison.h"
#include "trace/comparing/slices.h"

namespace retrial::campaign {
namespace {

using Of = trace::Load::Of;

constexpr std::size_t kSizes = 4;                // that growth is measured at
constexpr std::int64_t kMostBytes = 4 << 20;     // of an answer that was grown, about
constexpr std::int64_t kMostTimes = 1 << 16;     // as long as it was
constexpr std::int64_t kMostPages = 1024;        // more than oracles/growth.cc asks for
constexpr std::int64_t kMostErrors = 16;         // more attempts than most libraries make
constexpr Nanos kMostWork = 10 * kSecond;        // of a run: who works for longer is ended, and is slow
constexpr int kMostRuns = 10;                    // of a series
constexpr double kStandsOut = 0.25;              // of what the test takes by itself, as in oracles/growth.cc
constexpr Nanos kLeastWork = 40 * kMillisecond;  // likewise
constexpr std::uint64_t kRequestsOfOne = 2;      // more than that for one error, and it is looked at

std::string_view word_of(Of of) { return of == Of::entries ? "lists" : of == Of::pages ? "pages" : "errors"; }

std::string plan_of(Of of, std::int64_t size, const std::string& member) {
  switch (of) {
    case Of::entries:
      return fmt::format("grow({})", size);
    case Of::pages: {
      trace::FaultSpec fault{.name = trace::fault_row("another-page")->fault, .header = member};
      return size < kMostPages ? fmt::format("{} x {}, then pass", trace::show(fault), size) : trace::show(fault);
    }
    case Of::errors:
      return fmt::format("error(transient) x {}, then pass", size);
  }
  return {};
}

bool is_of(const trace::Exchange& e, const trace::CaseRecord& row) {
  return e.operation == row.operation && e.service == row.service && e.tag.site == row.site;
}

bool is_json(const trace::Exchange& e) { return icontains(trace::find(e.response_headers, "content-type"), "json"); }

std::uint64_t more_requests(const trace::Load& load, const trace::Run& alone) {
  return load.requests - std::min<std::uint64_t>(load.requests, alone.exchanges.size());
}

// Is it worth to look at smaller sizes?
bool stands_out(const trace::Load& load, const trace::Run& alone, Nanos usual) {
  auto work = load.cpu - usual, least = static_cast<Nanos>(kStandsOut * static_cast<double>(usual));
  if (load.of != Of::errors && work >= std::max(kLeastWork, least)) return true;
  auto of_one = load.of == Of::errors ? kRequestsOfOne : 1;
  if (load.of == Of::pages && load.size >= kMostPages) return true;
  return more_requests(load, alone) > of_one * static_cast<std::uint64_t>(load.size) + 1;
}

std::string what_it_cost(const trace::Load& load, const trace::Run& alone) {
  auto work = static_cast<double>(std::max<Nanos>(0, load.cpu - alone.cpu)) / kSecond;
  auto what = load.of == Of::entries ? "lists {} times as long" : load.of == Of::pages ? "{} pages more" : "{} errors";
  return fmt::format("{}: {} requests and {:.2f} s of work more", fmt::format(fmt::runtime(what), load.size),
                     more_requests(load, alone), work);
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
  if (run && (*run)->incomplete.empty() && passed(**run, test)) context_.alone[test] = *run;
  return run;
}

Result<void> Stress::run(const References& refs) {
  auto found = find_targets(refs.tests, false);
  if (found.empty()) found = find_targets(refs.tests, true);
  std::erase_if(found, [&](auto& f) { return !may_be_faulted(f.target.service, context_.config); });
  std::size_t number = 0;
  for (auto& f : found) {
    number++;
    trace::CaseRecord row{.test = f.target.test,
                          .site = f.target.site,
                          .service = f.target.service,
                          .operation = f.target.operation,
                          .outcome = "planned"};
    if (context_.executor.interrupted()) return {};
    context_.live.show({.phase = "stress",
                        .number = number,
                        .total = found.size(),
                        .what = fmt::format("{} at {}", row.operation, row.site ? trace::show(*row.site) : row.service),
                        .findings = record_.findings.size()});
    auto all = series_of(row, *f.places.front().reference);
    auto usual = alone(row.test);
    if (!usual) return std::unexpected(usual.error());
    for (auto& series : all)
      if (auto ok = try_series(row, series, **usual); !ok) return ok;
  }
  return {};
}

Result<void> Stress::again(const trace::CaseRecord& row, const trace::Run& alone) {
  context_.alone[row.test] = &alone;
  for (auto& series : series_of(row, alone))
    if (row.policy.ends_with(word_of(series.of)))
      if (auto ok = try_series(row, series, alone); !ok) return ok;
  return {};
}

std::vector<Stress::Series> Stress::series_of(const trace::CaseRecord& row, const trace::Run& reference) const {
  std::int64_t longest = 0;
  bool lists = false;
  for (auto& e : reference.exchanges) {
    if (!is_of(e, row) || !is_json(e)) continue;
    longest = std::max(longest, static_cast<std::int64_t>(e.response_bytes));
    lists |= e.response_sample.contains('[');
  }
  std::vector<Series> all;
  if (lists) all.push_back({Of::pages, page_member(reference, row), kMostPages});
  all.push_back({Of::errors, {}, kMostErrors});
  if (lists && longest > 0) {
    std::int64_t times = 2;
    while (2 * times <= std::min(kMostTimes, kMostBytes / longest)) times *= 2;
    all.push_back({Of::entries, {}, times});
  }
  return all;
}

Result<const trace::Run*> Stress::run_with(trace::CaseRecord& row, const trace::Run& alone) {
  auto spec = context_.spec_for({row.test}, trace::RunKind::with_fault);
  auto faults = policies::parse_fault_plan(row.plan);
  if (!faults) return std::unexpected(faults.error());
  Target target{row.test, row.site, row.service, row.operation, 0};
  aim(spec, {{target, *faults}}, context_.config.run);
  spec.case_id = row.id;
  spec.attempts_limit = static_cast<int>(alone.exchanges.size()) + static_cast<int>(kMostPages);
  spec.deadline = CampaignContext::deadline_of(trace::time_of(alone));
  spec.work = std::max(kMostWork, 10 * alone.cpu);
  auto run = context_.execute(spec);
  if (run) row.runs.push_back((*run)->id);
  return run;
}

void Stress::over(trace::CaseRecord row, std::string outcome, std::string why) {
  row.outcome = std::move(outcome);
  row.why = std::move(why);
  record_.cases.push_back(std::move(row));
}

Result<void> Stress::try_series(trace::CaseRecord row, const Series& series, const trace::Run& alone) {
  row.id = fmt::format("c{}", record_.cases.size() + 1);
  row.policy = fmt::format("{} {}", trace::kStressed, word_of(series.of));
  row.reference = alone.id;
  row.runs.clear();
  std::vector<const trace::Run*> runs;
  auto usual = alone.cpu;
  auto size = series.most;
  for (int n = 0; n < kMostRuns && runs.size() < kSizes && size >= 2; n++) {
    row.plan = plan_of(series.of, size, series.member);
    if (!context_.alone.contains(row.test))
      return over(std::move(row), "not_fired", "alone, without any fault, its test does not pass"), Result<void>{};
    if (context_.executor.interrupted()) return over(std::move(row), "left", "interrupted"), Result<void>{};
    if (time_left_() == 0) return over(std::move(row), "left", "budget"), Result<void>{};
    auto ran = run_with(row, alone);
    if (!ran) return std::unexpected(ran.error());
    auto& run = **ran;
    if (!run.incomplete.empty()) return over(std::move(row), "incomplete", run.incomplete), Result<void>{};
    auto load = trace::load_of(run);
    // A list that is not told in pages is no gap in what was tried.
    if (!load && series.of == Of::pages && series.member.empty()) return {};
    if (!load) return over(std::move(row), "not_fired", why_spared(run, row)), Result<void>{};
    if (run.stop == trace::Stop::deadline && series.of == Of::entries) {
      size /= 2;  // it says nothing of how it grows
      continue;
    }
    usual = std::min(usual, load->cpu);
    runs.push_back(&run);
    if (!stands_out(*load, alone, usual)) break;
    size = (series.of == Of::errors ? std::min(size, load->size) : size) / 2;  // a client that gives up meets fewer
  }
  conclude(std::move(row), series, alone, runs);
  return {};
}

void Stress::conclude(trace::CaseRecord row, const Series& series, const trace::Run& alone,
                      const std::vector<const trace::Run*>& runs) {
  if (runs.empty()) return over(std::move(row), "not_fired", "no run of it ended in time, at whatever size");
  auto most = trace::load_of(*runs.front());
  if (series.of == Of::entries) row.plan = plan_of(series.of, most->size, {});
  std::deque<trace::Comparison> comparisons;
  oracles::ComparedCase compared{&row, {}, context_.config.run.hold};
  for (auto* run : runs) compared.comparisons.push_back(&comparisons.emplace_back(trace::compare(alone, *run)));
  auto judgement = oracles::compare_sizes(compared);
  for (auto& f : judgement.findings) {
    f.confirmed = true;  // it was seen at several sizes, and not without the fault
    record_.findings.push_back(std::move(f));
  }
  std::ranges::move(judgement.not_judged, std::back_inserter(record_.not_judged));
  if (judgement.findings.empty() && judgement.not_judged.empty()) {
    if (series.of != Of::errors && !took_it_in(*runs.front(), row.test))
      return over(std::move(row), "not_fired", "the client ended with an error of its own before it had taken all in");
    record_.clean.push_back(trace::judged(row, what_it_cost(*most, alone)));
  }
  over(std::move(row), "run", {});
}

}  // namespace retrial::campaign

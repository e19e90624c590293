#include <algorithm>
#include <iterator>

#include "campaign/campaign_impl.h"
#include "campaign/planning/last_words.h"
#include "campaign/stress/stress.h"
#include "campaign/trial.h"
#include "trace/calls/correlator.h"
#include "trace/calls/services.h"

namespace retrial::campaign {

// What a campaign learns of its suite, of the one test that is shown again. One test sends too little to tell names
// from words: operations are called what the campaign called them.
void Campaign::learn_from(const trace::Run& alone, const std::vector<trace::CaseRecord>& cases) {
  auto& lessons = context_.lessons;
  auto learned = trace::lessons_of(alone, setting_.config.trees());
  learned.names.clear();
  for (auto& row : cases) learned.recall(row.operation);
  learned.services = std::move(lessons.services);
  learned.errors = std::move(lessons.errors);
  learned.closing = std::move(lessons.closing);
  lessons = std::move(learned);
  for (auto& run : runs_.held()) {
    lessons.apply(run);
    trace::Correlator::correlate_each_test(run, lessons);
  }
}

void Campaign::replay(const trace::Stored& earlier, const trace::Finding& finding) {
  describe();
  ended(show_again(earlier, finding));
}

// More widely, if the narrow way does not reach it.
Result<const trace::Run*> Campaign::run_alone(const std::string& test) {
  live_.show({.phase = "the test alone, without faults", .what = test});
  auto alone = context_.execute(context_.spec_for({test}, trace::RunKind::alone));
  if (alone && !trace::result_of(**alone, test)) {
    context_.wide.insert(test);
    alone = context_.execute(context_.spec_for({test}, trace::RunKind::alone));
  }
  if (!alone || passed(**alone, test)) return alone;
  auto why = last_words(argv_.front(), **alone, executor_.log_of((*alone)->id));
  return fail("does not pass without faults, so nothing can be shown" + (why.empty() ? "" : "\n" + why), test,
              Blame::user);
}

Result<void> Campaign::show_again(const trace::Stored& earlier, const trace::Finding& finding) {
  auto row = trace::case_of(earlier.campaign.cases, finding);
  if (row == earlier.campaign.cases.end()) return fail("its case is not in the campaign's store", finding.id);
  auto plan = policies::parse_fault_plan(row->plan);
  if (!plan) return std::unexpected(plan.error());
  if (auto ok = slots_.start(); !ok) return ok;
  context_.measures = trace::is_stressed(row->policy);
  for (auto& known : earlier.campaign.cases) context_.lessons.recall(known.operation);
  for (auto& run : earlier.runs) {
    if (run.kind == trace::RunKind::reference || run.kind == trace::RunKind::alone)
      context_.lessons.services.recall(run);
    if (run.kind == trace::RunKind::reference) context_.lessons.learn_answers(run, setting_.config.bare());
  }
  std::ranges::move(context_.lessons.errors.remarks(), std::back_inserter(out_.record.remarks));
  auto alone = run_alone(row->test);
  if (!alone) return std::unexpected(alone.error());
  learn_from(**alone, earlier.campaign.cases);
  out_.record.services = services_seen(**alone, setting_.config);
  out_.record.left_alone = connections_left_alone(**alone);
  if (trace::is_stressed(row->policy)) {
    live_.show({.phase = "replay", .what = finding.id});
    return Stress(context_, out_.record, [] { return kNoLimit; }).again(*row, **alone);
  }
  Case c;
  c.row = *row;
  c.row.outcome = "planned";
  c.row.runs.clear();
  c.faults = *plan;
  c.policy = policies::policy_named(row->policy);
  c.places = {{.test = row->test, .occurrence = row->occurrence, .reference = *alone}};
  context_.alone[row->test] = *alone;
  live_.show({.phase = "replay", .what = finding.id});
  Trial trial(context_, c, {}, false);
  Result<void> done;
  while (auto spec = trial.next()) {
    auto run = context_.execute(*spec);
    if (!run) {
      done = std::unexpected(run.error());
      break;
    }
    trial.ran(**run);
  }
  auto& result = trial.result();
  keep_findings(std::move(result.findings), out_.record.findings);
  keep_findings(std::move(result.notes), out_.record.notes);
  out_.record.clean = std::move(result.clean);
  out_.record.not_judged = std::move(result.not_judged);
  out_.record.cases.push_back(c.row);
  return done;
}

}  // namespace retrial::campaign

#include "campaign/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "campaign/planning/references.h"
#include "trace/calls/lessons.h"
#include "trace/comparing/comparison.h"

namespace retrial::campaign {
namespace {

constexpr int kRepeats = 6;                      // runs of one case at most, while its evidence is thin
constexpr Nanos kLeastDeadline = 120 * kSecond;  // design: 10 times the reference time, 120 s at least

class Trial {
 public:
  Trial(CampaignContext& context, Case& c, bool wide) : context_(context), case_(c), wide_(wide) {}

  Result<CaseResult> run();

 private:
  Result<const trace::Run*> execute(trace::RunKind kind);
  Result<oracles::Judgement> examine();
  Result<void> confirm(std::vector<trace::Finding> findings);
  bool seen_without(const trace::Run& without, const trace::Finding& finding);
  void not_judged(std::string why) { result_.not_judged.push_back(trace::judged(case_.row, std::move(why))); }

  CampaignContext& context_;
  Case& case_;
  bool wide_;
  CaseResult result_;
  std::deque<trace::Comparison> comparisons_;  // those shown to the oracles stay where they are
};

Result<const trace::Run*> Trial::execute(trace::RunKind kind) {
  if (auto ok = context_.services.reset(); !ok) return std::unexpected(ok.error());
  auto spec = context_.spec_for(case_.row.test, kind, wide_);
  spec.case_id = case_.row.id;
  spec.lessons.polls = trace::lessons_of(*case_.reference).polls;
  auto usual = case_.reference->ended - case_.reference->began;
  spec.deadline = std::max(kLeastDeadline, 10 * usual);
  if (kind == trace::RunKind::with_fault) {
    spec.aim = case_.aim;
    spec.hold = context_.config.run.hold;
    auto horizon = oracles::horizon();
    spec.attempts_limit = horizon.attempts;
    spec.client_time_limit = horizon.client_time;
    if (case_.stalls) spec.deadline += context_.config.run.hold;
  }
  auto run = context_.execute(spec);
  if (run) case_.row.runs.push_back((*run)->id);
  return run;
}

std::string why_not_fired(const trace::Run& run) {
  for (auto& c : run.connection_faults)
    return c.fired ? "the fault met a connection, and no request followed that could be judged"
                   : "the fault was planned and never fired: " + c.evidence;
  return "the fault was planned and never fired: the call did not come as it does without faults";
}

// Runs with the fault until the oracles have seen enough. An empty judgement with `not_judged` where it cannot be
// judged.
Result<oracles::Judgement> Trial::examine() {
  std::vector<const trace::Comparison*> shown;
  for (int n = 0;; n++) {
    auto run = execute(trace::RunKind::with_fault);
    if (!run) return std::unexpected(run.error());
    oracles::Judgement judgement;
    if (context_.executor.interrupted()) return judgement;
    if (!(*run)->incomplete.empty()) {
      case_.row.outcome = "incomplete";
      case_.row.why = (*run)->incomplete;
      judgement.not_judged.push_back(trace::judged(case_.row, (*run)->incomplete));
      return judgement;
    }
    comparisons_.push_back(trace::compare(*case_.reference, **run));
    auto& comparison = comparisons_.back();
    if (comparison.faulted.empty()) {
      if (!shown.empty()) break;
      case_.row.outcome = "not_fired";
      case_.row.why = why_not_fired(**run);
      judgement.not_judged.push_back(trace::judged(case_.row, case_.row.why));
      return judgement;
    }
    shown.push_back(&comparison);
    if (n == 0) result_.attempts = static_cast<int>(comparison.faulted.front()->attempts.size());
    judgement = oracles::judge({&case_.row, shown, context_.config.run.hold});
    if (!judgement.needs_more_runs || static_cast<int>(shown.size()) >= kRepeats) return judgement;
  }
  return oracles::judge({&case_.row, shown, context_.config.run.hold});
}

bool same(const trace::Finding& a, const trace::Finding& b) {
  return a.verdict == b.verdict && a.site == b.site && a.operation == b.operation;
}

bool Trial::seen_without(const trace::Run& without, const trace::Finding& finding) {
  comparisons_.push_back(trace::compare(*case_.reference, without));
  auto judgement = oracles::judge({&case_.row, {&comparisons_.back()}, context_.config.run.hold});
  return std::any_of(judgement.findings.begin(), judgement.findings.end(), [&](auto& f) { return same(f, finding); });
}

// First without, then with: what the case did to the service must not decide.
Result<void> Trial::confirm(std::vector<trace::Finding> findings) {
  auto without = execute(trace::RunKind::without_fault);
  if (!without) return std::unexpected(without.error());
  if (context_.executor.interrupted()) return {};
  if (!passed(**without, case_.row.test)) {
    result_.spoilt = true;
    not_judged(fmt::format("service state: the test passed alone before, and no longer passes without faults; {}",
                           context_.services.can_reset()
                               ? "the `reset` in retrial.toml does not bring back what it needs"
                               : "a `reset` for the service in retrial.toml would help"));
    return {};
  }
  auto again = examine();
  if (!again) return std::unexpected(again.error());
  for (auto& finding : findings) {
    auto it = std::find_if(again->findings.begin(), again->findings.end(), [&](auto& f) { return same(f, finding); });
    if (it == again->findings.end()) {
      not_judged(fmt::format("{} was seen once, and not again when the case was repeated", finding.verdict));
    } else if (seen_without(**without, finding)) {
      not_judged(fmt::format("{} is seen without the fault too", finding.verdict));
    } else {
      finding.confirmed = true;
      finding.confidence = std::min(finding.confidence, it->confidence);
      result_.findings.push_back(finding);
    }
  }
  return {};
}

std::string what_was_right(const trace::Comparison& c, const std::string& test) {
  auto& call = *c.faulted.front();
  auto* result = trace::result_of(*c.in_case, test);
  return fmt::format("{} attempt{}, {}; the test {}", call.attempts.size(), call.attempts.size() == 1 ? "" : "s",
                     trace::recovered(call) ? "then recovered" : "then the fault was passed on",
                     result ? result->outcome : "ended");
}

Result<CaseResult> Trial::run() {
  auto judgement = examine();
  if (!judgement) return std::unexpected(judgement.error());
  if (context_.executor.interrupted()) return std::move(result_);
  result_.notes = judgement->notes;
  result_.not_judged = judgement->not_judged;
  if (case_.row.outcome == "planned") case_.row.outcome = "run";
  if (!judgement->findings.empty()) {
    if (auto ok = confirm(std::move(judgement->findings)); !ok) return std::unexpected(ok.error());
  } else if (result_.not_judged.empty()) {
    result_.clean.push_back(trace::judged(case_.row, what_was_right(comparisons_.front(), case_.row.test)));
  }
  return std::move(result_);
}

}  // namespace

Result<CaseResult> try_case(CampaignContext& context, Case& c, bool wide) { return Trial(context, c, wide).run(); }

}  // namespace retrial::campaign

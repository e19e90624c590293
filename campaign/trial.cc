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
  Trial(Workbench& bench, Case& c, bool wide) : bench_(bench), case_(c), wide_(wide) {}

  Result<Tried> run();

 private:
  Result<const trace::Run*> execute(trace::RunKind kind);
  Result<oracles::Opinion> examine();
  Result<void> confirm(std::vector<trace::Finding> findings);
  bool seen_without(const trace::Run& without, const trace::Finding& finding);
  void not_judged(std::string why) { tried_.not_judged.push_back(trace::judged(case_.row, std::move(why))); }

  Workbench& bench_;
  Case& case_;
  bool wide_;
  Tried tried_;
  std::deque<trace::Comparison> comparisons_;  // those shown to the oracles stay where they are
};

Result<const trace::Run*> Trial::execute(trace::RunKind kind) {
  if (auto ok = bench_.services.reset(); !ok) return std::unexpected(ok.error());
  auto order = bench_.order_for(case_.row.test, kind, wide_);
  order.case_id = case_.row.id;
  order.lessons.polls = trace::lessons_of(*case_.reference).polls;
  auto usual = case_.reference->ended - case_.reference->began;
  order.deadline = std::max(kLeastDeadline, 10 * usual);
  if (kind == trace::RunKind::with_fault) {
    order.aim = case_.aim;
    order.hold = bench_.config.run.hold;
    order.attempts_limit = oracles::kAttemptsWithoutEnd;
    order.client_time_limit = oracles::kTimeWithoutEnd;
    if (case_.stalls) order.deadline += bench_.config.run.hold;
  }
  auto run = bench_.execute(order);
  if (run) case_.row.runs.push_back((*run)->id);
  return run;
}

std::string why_not_fired(const trace::Run& run) {
  for (auto& c : run.connection_faults)
    return c.fired ? "the fault met a connection, and no request followed that could be judged"
                   : "the fault was planned and never fired: " + c.evidence;
  return "the fault was planned and never fired: the call did not come as it does without faults";
}

// Runs with the fault until the oracles have seen enough. An empty opinion with `not_judged` where it cannot be judged.
Result<oracles::Opinion> Trial::examine() {
  std::vector<const trace::Comparison*> shown;
  for (int n = 0;; n++) {
    auto run = execute(trace::RunKind::with_fault);
    if (!run) return std::unexpected(run.error());
    oracles::Opinion opinion;
    if (bench_.executor.interrupted()) return opinion;
    if (!(*run)->incomplete.empty()) {
      case_.row.outcome = "incomplete";
      case_.row.why = (*run)->incomplete;
      opinion.not_judged.push_back(trace::judged(case_.row, (*run)->incomplete));
      return opinion;
    }
    comparisons_.push_back(trace::compare(*case_.reference, **run));
    auto& comparison = comparisons_.back();
    if (comparison.faulted.empty()) {
      if (!shown.empty()) break;
      case_.row.outcome = "not_fired";
      case_.row.why = why_not_fired(**run);
      opinion.not_judged.push_back(trace::judged(case_.row, case_.row.why));
      return opinion;
    }
    shown.push_back(&comparison);
    if (n == 0) tried_.attempts = static_cast<int>(comparison.faulted.front()->attempts.size());
    opinion = oracles::judge({&case_.row, shown, bench_.config.run.hold});
    if (!opinion.again || static_cast<int>(shown.size()) >= kRepeats) return opinion;
  }
  return oracles::judge({&case_.row, shown, bench_.config.run.hold});
}

bool same(const trace::Finding& a, const trace::Finding& b) {
  return a.verdict == b.verdict && a.site == b.site && a.operation == b.operation;
}

bool Trial::seen_without(const trace::Run& without, const trace::Finding& finding) {
  comparisons_.push_back(trace::compare(*case_.reference, without));
  auto opinion = oracles::judge({&case_.row, {&comparisons_.back()}, bench_.config.run.hold});
  return std::any_of(opinion.findings.begin(), opinion.findings.end(), [&](auto& f) { return same(f, finding); });
}

// First without, then with: what the case did to the service must not decide.
Result<void> Trial::confirm(std::vector<trace::Finding> findings) {
  auto without = execute(trace::RunKind::without_fault);
  if (!without) return std::unexpected(without.error());
  if (bench_.executor.interrupted()) return {};
  if (!passed(**without, case_.row.test)) {
    tried_.spoilt = true;
    not_judged(fmt::format("service state: the test passed alone before, and no longer passes without faults; {}",
                           bench_.services.can_reset() ? "the `reset` in retrial.toml does not bring back what it needs"
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
      tried_.findings.push_back(finding);
    }
  }
  return {};
}

// More was sent at the call site of a poll than without the fault: a retry or one more look, which cannot be told
// apart.
bool may_be_poll(const trace::Comparison& c) {
  if (c.faulted.front()->attempts.size() > 1) return false;  // an id told them apart
  auto& target = c.faulted.front()->first();
  if (!trace::lessons_of(*c.reference).at_poll(target)) return false;
  auto count = [&](const trace::Run& run) {
    return std::count_if(run.exchanges.begin(), run.exchanges.end(),
                         [&](auto& e) { return e.tag.site == target.tag.site && e.operation == target.operation; });
  };
  return count(*c.in_case) > count(*c.reference);
}

std::string what_was_right(const trace::Comparison& c, const std::string& test) {
  auto& call = *c.faulted.front();
  auto* result = trace::result_of(*c.in_case, test);
  return fmt::format("{} attempt{}, {}; the test {}", call.attempts.size(), call.attempts.size() == 1 ? "" : "s",
                     trace::recovered(call) ? "then recovered" : "then the fault was passed on",
                     result ? result->outcome : "ended");
}

Result<Tried> Trial::run() {
  auto opinion = examine();
  if (!opinion) return std::unexpected(opinion.error());
  if (bench_.executor.interrupted()) return std::move(tried_);
  tried_.notes = opinion->notes;
  tried_.not_judged = opinion->not_judged;
  if (case_.row.outcome == "planned") case_.row.outcome = "run";
  if (!opinion->findings.empty()) {
    if (auto ok = confirm(std::move(opinion->findings)); !ok) return std::unexpected(ok.error());
  } else if (!comparisons_.empty() && !comparisons_.front().faulted.empty() && may_be_poll(comparisons_.front())) {
    tried_.notes.clear();
    not_judged(
        "the reference sends this request again after a success, as a poll does: what follows the fault may be a retry "
        "or the next look");
  } else if (tried_.not_judged.empty()) {
    tried_.clean.push_back(trace::judged(case_.row, what_was_right(comparisons_.front(), case_.row.test)));
  }
  return std::move(tried_);
}

}  // namespace

Result<Tried> try_case(Workbench& bench, Case& c, bool wide) { return Trial(bench, c, wide).run(); }

}  // namespace retrial::campaign

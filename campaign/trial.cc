#include "campaign/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "campaign/judging/company_verdict.h"
#include "campaign/planning/references.h"
#include "trace/comparing/comparison.h"
#include "trace/comparing/slices.h"

namespace retrial::campaign {
namespace {

constexpr int kRepeats = 6;   // runs of one case at most, while its evidence is thin
constexpr int kUnsteady = 3;  // of what an unsteady test does with and without the fault

// In company the run goes on behind it: default time-outs of 60 and 100 s come before, and no service sees its clients'
// clocks as much as four minutes ahead.
constexpr Nanos kHeldInCompany = 120 * kSecond;

constexpr Nanos kUnmoved = 30 * kSecond;  // of a rest in real time: then it shows nothing

bool same(const trace::Finding& a, const trace::Finding& b) {
  return a.verdict == b.verdict && a.site == b.site && a.operation == b.operation;
}

// How a client goes about its retries is in the attempts that met the fault, whatever else its test does by turns.
bool shows_in_attempts(const trace::Finding& finding) {
  auto* verdict = oracles::verdict_named(finding.verdict);
  return verdict && verdict->severity >= oracles::Severity::no_end;
}

}  // namespace

void aim(RunSpec& spec, std::vector<Aim> aims, const RunSettings& settings) {
  auto horizon = spec.lifts ? oracles::horizons().near : oracles::horizons().far;
  spec.aims = std::move(aims);
  spec.hold = settings.hold;
  spec.client_hold = spec.lifts ? std::min(settings.client_hold, kHeldInCompany) : settings.client_hold;
  spec.deadline += settings.hold;
  spec.attempts_limit = horizon.attempts;
  spec.client_time_limit = horizon.client_time;
  spec.looks_limit = horizon.looks;
}

Trial::Trial(CampaignContext& context, Case& c, std::vector<trace::Finding> suspected, bool unsteady)
    : context_(context), case_(c), suspected_(std::move(suspected)), unsteady_(unsteady) {
  if (auto it = context.alone.find(c.row.test); it != context.alone.end() && c.row.followed_by.empty())
    reference_ = it->second;
}

void Trial::not_judged(std::string why) { result_.not_judged.push_back(trace::judged(case_.row, std::move(why))); }
void Trial::over(std::string outcome, std::string why) {
  case_.row.outcome = std::move(outcome);
  case_.row.why = why;
  not_judged(std::move(why));
  over_ = true;
}

void Trial::answered(std::string why) {
  if (over_) return;
  case_.row.outcome = "seen_too";
  case_.row.why = std::move(why);
  over_ = true;
}

Trial::Ask Trial::ask() const {
  if (over_) return Ask::nothing;
  if (!reference_) return first_ ? Ask::alone : Ask::with;
  if (!found_ || thin_) return Ask::with;
  if (found_->empty()) return Ask::nothing;
  if (without_ < wanted_without_ && without_ < with_) return Ask::without;
  return with_ < wanted_with_ ? Ask::with : Ask::nothing;
}

std::optional<RunSpec> Trial::next() {
  asked_ = ask();
  if (asked_ == Ask::nothing) {
    if (!over_) conclude();
    over_ = true;
    return {};
  }
  auto kind = asked_ == Ask::alone  ? trace::RunKind::alone
              : asked_ == Ask::with ? trace::RunKind::with_fault
                                    : trace::RunKind::without_fault;
  auto spec = context_.spec_for(trace::tests_of(case_.row), kind);
  spec.case_id = case_.row.id;
  spec.look = context_.config.looks();
  auto& usual = reference_ ? *reference_ : case_.reference();
  spec.deadline = CampaignContext::deadline_of(usual.ended - usual.began);
  // Where its clock is not moved after all, its rest takes its time.
  if (!case_.row.followed_by.empty())
    spec.deadline = std::min(spec.deadline, 10 * (usual.ended - usual.began) + kUnmoved);
  if (asked_ == Ask::with) {
    auto aimed = case_.aim();
    if (target_) aimed.target = target_;
    aim(spec, {std::move(aimed)}, context_.config.run);
    spec.rest_before = case_.row.followed_by;
  }
  if (asked_ == Ask::with && case_.policy && case_.policy->of_deaths) spec.after_fault = kAfterDeath;
  return spec;
}

void Trial::ran(const trace::Run& run) {
  case_.row.runs.push_back(run.id);
  if (asked_ != Ask::alone) runs_.push_back(run.id);
  if (run.stop == trace::Stop::interrupted || context_.executor.interrupted()) {
    case_.row.outcome = "planned";
    if (!about().empty()) case_.row.why = "something was seen, and not confirmed";
    over_ = true;
    return;
  }
  if (!run.incomplete.empty()) return over("incomplete", run.incomplete);
  auto& own = case_.row.followed_by.empty() ? run : slices_.emplace_back(trace::slice_with_next(run, case_.row));
  if (asked_ == Ask::alone) return reference_ran(own);
  if (asked_ == Ask::with) return with_ran(own);
  without_ran(own);
}

void Trial::without_ran(const trace::Run& run) {
  without_++;
  auto& next = run.followed_by;
  if (passed(run, case_.row.test) && (!next || passed(*next, next->tests.front()))) return;
  result_.spoilt = !unsteady_;
  over(case_.row.outcome,
       fmt::format(
           "its test failed without any fault, though it had passed so before: it is unsteady, or a case has spoilt a "
           "service's state; {}",
           std::ranges::any_of(context_.config.services, [](auto& s) { return s.reset.kind != Reset::Kind::none; })
               ? "the `reset` in retrial.toml does not bring back what it needs"
               : "in that case a `reset` for the service in retrial.toml would help"));
}

// A second time, more widely, if the narrow way did not reach it.
void Trial::reference_ran(const trace::Run& run) {
  auto& test = case_.row.test;
  if (!trace::result_of(run, test) && context_.wide.insert(test).second) return;
  if (!trace::result_of(run, test)) return over("not_fired", "the runner did not run its test by its id");
  if (!passed(run, test) && !std::exchange(alone_failed_, true)) {
    unsteady_ = true;
    return;
  }
  if (!passed(run, test))
    return over("not_fired", context_.services_stay
                                 ? "alone, without any fault, its test fails: it passes only in company, or this case "
                                   "has spoilt a service's state"
                                 : "its test passes only in company: alone, without any fault, it fails");
  reference_ = &run;
  if (case_.row.followed_by.empty()) context_.alone[test] = &run;
  without_++;
  auto* first = std::exchange(first_, nullptr);
  if (context_.wide.contains(test) && !trace::result_of(*first, test)) return;  // it, too, did not reach the test
  compare_with(*first);
}

void Trial::with_ran(const trace::Run& run) {
  if (reference_)
    compare_with(run);
  else
    first_ = &run;
}

// Its call may have another call site, or its service another name, where the tests before it did not run (one of them
// has put a logger in between). So it is the same by its place among the calls of its operation, if these are as many.
std::optional<Target> Trial::as_alone() const {
  auto calls = [&](const trace::Run& run) {
    std::vector<const trace::Exchange*> found;
    for (auto& e : run.exchanges)
      if (e.attempt == 1 && e.tag.test == case_.row.test && e.operation == case_.row.operation &&
          (e.tag.phase == trace::Phase::test || e.tag.phase == trace::Phase::none))
        found.push_back(&e);
    return found;
  };
  auto there = calls(case_.reference()), alone = calls(*reference_);
  if (there.size() != alone.size() || case_.row.occurrence < 1) return {};
  int occurrence = 0;
  auto of_case = [&](auto* e) {
    return e->tag.site == case_.row.site && e->service == case_.row.service && ++occurrence == case_.row.occurrence;
  };
  auto at = static_cast<std::size_t>(std::ranges::find_if(there, of_case) - there.begin());
  if (at == there.size()) return {};
  auto& e = *alone[at];
  if (e.tag.site == case_.row.site && e.service == case_.row.service) return {};
  auto alike = [&](auto* other) { return other->tag.site == e.tag.site && other->service == e.service; };
  auto nth = std::count_if(alone.begin(), alone.begin() + static_cast<std::ptrdiff_t>(at) + 1, alike);
  return Target{case_.row.test, e.tag.site, e.service, e.operation, static_cast<int>(nth)};
}

void Trial::compare_with(const trace::Run& run) {
  auto& comparison = comparisons_.emplace_back(trace::compare(*reference_, run));
  if (comparison.faulted.empty()) {
    if (thin_) return weigh();
    if (!found_) {
      bool suspected = !suspected_.empty();
      if (!target_) target_ = as_alone();
      bool again = suspected || target_;  // it came to it in company; or comes to it elsewhere
      if (again && !std::exchange(missed_, true)) return comparisons_.pop_back();
      auto none = run.connection_faults.empty() ? ": the call did not come as it does without faults" : "";
      return over("not_fired", (suspected ? "something was seen in company; alone, twice, " : "") +
                                   oracles::why_not_fired(run) + none);
    }
    for (auto& f : *found_)
      not_judged(fmt::format("{} was seen once; when the case was repeated its fault did not fire", f.verdict));
    found_->clear();
    return;
  }
  if (!thin_) shown_.clear();
  shown_.push_back(&comparison);
  if (!result_.attempts) result_.attempts = trace::faulted_attempts(comparison);
  weigh();
}

// What all runs since the last weighing show together.
void Trial::weigh() {
  auto judgement = oracles::judge({&case_.row, shown_, context_.config.run.hold});
  if (judgement.needs_more_runs && !suspected_.empty()) judgement = judge_with_company(judgement);
  bool again = comparisons_.back().faulted.empty();  // no more is to be had
  thin_ = judgement.needs_more_runs && static_cast<int>(shown_.size()) < kRepeats && !again;
  leaning_ = thin_ ? std::move(judgement.leaning) : std::vector<trace::Finding>();
  if (thin_) return case_.ask_further();
  case_.row.outcome = "run";
  with_++;
  bool first = with_ == 1;
  if (first) {
    result_.notes = judgement.notes;
    result_.not_judged = judgement.not_judged;
    found_ = std::move(judgement.findings);
    // What was suspected and is not seen alone was its company's doing, or is rare: once more.
    if (found_->empty() && !std::exchange(suspected_, {}).empty()) {
      found_.reset();
      with_ = 0;
      return;
    }
    bool all_suspected = std::ranges::all_of(
        *found_, [&](auto& f) { return std::ranges::any_of(suspected_, [&](auto& s) { return same(s, f); }); });
    bool outcome = std::ranges::any_of(*found_, [&](auto& f) { return rests_on_outcome(f); });
    auto stop = comparisons_.back().in_case->stop;
    bool by_attempts = std::ranges::all_of(*found_, shows_in_attempts) &&
                       (stop == trace::Stop::exited || stop == trace::Stop::held || stop == trace::Stop::capped);
    bool doubtful = unsteady_ && (outcome || !by_attempts);
    wanted_with_ = doubtful ? kUnsteady : 1 + !all_suspected + outcome;
    wanted_without_ = doubtful ? kUnsteady : 1;
    // Where no run leaves anything for the next, the test alone without the fault is as good as one after it.
    if (!context_.services_stay && !outcome && !unsteady_) wanted_without_ = 0;
    return;
  }
  for (auto& f : *found_) {
    auto it = std::ranges::find_if(judgement.findings, [&](auto& now) { return same(now, f); });
    if (it == judgement.findings.end())
      not_judged(fmt::format("{} was seen once, and not again when the case was repeated", f.verdict));
    else
      f.confidence = std::min(f.confidence, it->confidence);
  }
  std::erase_if(*found_, [&](auto& f) {
    return std::ranges::none_of(judgement.findings, [&](auto& now) { return same(now, f); });
  });
}

// Where one run shows too little, together with those that made it suspicious. What became of the call there may be its
// company's doing: of that only what is seen alone counts.
oracles::Judgement Trial::judge_with_company(const oracles::Judgement& alone) const {
  std::deque<trace::Comparison> before;
  std::vector<const trace::Comparison*> all;
  for (auto& slice : case_.seen) all.push_back(&before.emplace_back(compare_case(case_, *slice, true)));
  all.insert(all.end(), shown_.begin(), shown_.end());
  auto judgement = oracles::judge({&case_.row, all, context_.config.run.hold});
  std::erase_if(judgement.findings, [&](auto& f) {
    return !shows_in_attempts(f) && std::ranges::none_of(alone.findings, [&](auto& own) { return same(own, f); });
  });
  return judgement;
}

// Would it be found if the test had ended as it does without the fault? A test may fail by itself.
bool Trial::rests_on_outcome(const trace::Finding& finding) const {
  auto& last = *shown_.back();
  auto* was = trace::result_of(*last.reference, case_.row.test);
  auto* is = trace::result_of(*last.in_case, case_.row.test);
  if (!was || !is || was->outcome == is->outcome) return false;
  auto without = *last.in_case;
  without.results = last.reference->results;
  auto comparison = trace::compare(*last.reference, without);
  auto judgement = oracles::judge({&case_.row, {&comparison}, context_.config.run.hold});
  return std::ranges::none_of(judgement.findings, [&](auto& f) { return same(f, finding); });
}

void Trial::conclude() {
  if (!found_) return;
  if (found_->empty()) {
    if (result_.not_judged.empty())
      result_.clean.push_back(trace::judged(case_.row, what_was_right(*shown_.front(), case_.row.test)));
    return;
  }
  for (auto& finding : *found_) {
    finding.confirmed = true;
    finding.fault = case_.row.plan;  // as it was asked last
    result_.findings.push_back(std::move(finding));
  }
}

}  // namespace retrial::campaign

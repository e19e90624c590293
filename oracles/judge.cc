#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"
#include "oracles/evidence.h"
#include "oracles/failure.h"
#include "oracles/known_repeats.h"
#include "oracles/oracle.h"
#include "oracles/polls.h"
#include "trace/calls/service_name.h"
#include "trace/comparing/jumps.h"

namespace retrial::oracles {
namespace {

using trace::Finding;

bool of_outcome(const Finding& f) {
  auto* verdict = verdict_named(f.verdict);
  return verdict && verdict->of_outcome;
}

bool same_event(const Finding& a, const Finding& b) {
  if (a.verdict != b.verdict && !(of_outcome(a) && of_outcome(b))) return false;
  return a.site == b.site && a.operation == b.operation &&
         trace::service_name(a.service) == trace::service_name(b.service);
}

bool stronger(const Finding& a, const Finding& b) {
  if (a.confidence != b.confidence) return a.confidence > b.confidence;
  if (a.verdict != b.verdict) return rank(a) < rank(b);
  return a.run > b.run;  // of two runs the later: it is what a reader finds last in the folder
}

void merge(std::vector<Finding>& findings) {
  std::stable_sort(findings.begin(), findings.end(), stronger);
  std::vector<Finding> kept;
  for (auto& f : findings)
    if (std::none_of(kept.begin(), kept.end(), [&](auto& k) { return same_event(k, f); })) kept.push_back(std::move(f));
  std::stable_sort(kept.begin(), kept.end(), [](auto& a, auto& b) { return rank(a) < rank(b); });
  findings = std::move(kept);
}

bool about(const trace::Judged& j, const Finding& f) {
  return j.fault == f.fault || (j.site == f.site && j.operation == f.operation);
}

// Of what could not be judged: nothing that a finding speaks of all the same, and each reason once for a call.
void drop_answered(Judgement& judgement) {
  auto& all = judgement.not_judged;
  std::vector<trace::Judged> kept;
  for (auto& j : all) {
    bool known = std::ranges::any_of(judgement.findings, [&](auto& f) { return about(j, f); }) ||
                 std::ranges::any_of(kept, [&](auto& k) {
                   return k.why == j.why && k.site == j.site && k.operation == j.operation && k.fault == j.fault;
                 });
    if (!known) kept.push_back(std::move(j));
  }
  all = std::move(kept);
}

// Signatures, tokens and certificates live by the wall's clock, of which the client's was moved ahead.
constexpr Nanos kMostDrift = 4 * 60 * kSecond;
bool about_time(const trace::Exchange& e) {
  if (!delivered(e) || e.service_status < 400) return false;
  if (e.service_status == 401 || e.service_status == 403) return true;
  for (std::string_view word : {"expired", "skew", "RequestTime", "not yet valid", "clock"})
    if (icontains(e.response_sample, word)) return true;
  return false;
}
std::string drifted(const trace::Comparison& c) {
  auto drift = trace::jumped(*c.in_case);
  if (drift < kMostDrift) return {};
  for (auto& error : new_errors(c))
    if (about_time(*error.exchange))
      return fmt::format("the client's clock was {} ahead when the service answered {}: that may be our doing",
                         show_duration(drift), show_answer(error.exchange->service_status));
  return {};
}

// A response that is an error is never lost (docs/faults.md).
std::string spared(const ComparedCase& compared, const trace::Run& run) {
  if (!compared.row->plan.starts_with("lost-response")) return {};
  auto refused =
      std::ranges::find_if(run.exchanges, [](auto& e) { return e.service_status >= 400 && e.service_status < 500; });
  if (refused == run.exchanges.end()) return {};
  return fmt::format(
      ": an answer that is an error is not lost, and {} was answered {}. Does the service still hold what the run "
      "before has left there?{}",
      refused->operation, show_answer(refused->service_status),
      compared.row->policy == trace::kObserved ? " --reset COMMAND brings it back before each." : "");
}

// What an observed command sent, where `--at` may have named none of it.
std::string sent_were(const ComparedCase& compared, const trace::Run& run) {
  constexpr std::size_t kNamed = 4;
  if (compared.row->policy != trace::kObserved) return {};
  std::vector<std::string> named;
  for (auto& e : run.exchanges)
    if (!is_look(e) && std::ranges::count(named, e.operation) == 0) named.push_back(e.operation);
  if (named.empty()) return {};
  auto more = named.size() > kNamed ? ", ..." : "";
  named.resize(std::min(named.size(), kNamed));
  return fmt::format("; sent were {}{}", fmt::join(named, ", "), more);
}

// Why this run may not be judged; empty: it may.
std::string unfit(const ComparedCase& compared, const trace::Comparison& c) {
  for (auto* run : {c.in_case, c.reference})
    if (!run->incomplete.empty()) return run->incomplete;
  if (c.in_case->stop == trace::Stop::interrupted) return "interrupted";
  if (c.faulted.empty()) {
    auto why = spared(compared, *c.in_case);
    return why_not_fired(*c.in_case) + (why.empty() ? sent_were(compared, *c.in_case) : why);
  }
  if (auto why = drifted(c); !why.empty()) return why;
  if (auto failure = failure_of(compared, c); failure && may_be_caused_by_capture(c, *failure))
    return "a signal met a connect before the proxy had it: the test may have failed by capture itself";
  return {};
}

// What of these cases may be judged; of the rest it is said why not.
std::vector<ComparedCase> fit_to_judge(Cases cases, Judgement& judgement) {
  std::vector<ComparedCase> fit;
  for (auto& compared : cases) {
    ComparedCase some{compared.row, {}, compared.hold, compared.control};
    std::string why;
    for (auto* c : compared.comparisons) {
      auto reason = unfit(compared, *c);
      if (reason.empty())
        some.comparisons.push_back(c);
      else
        why = reason;
    }
    if (some.comparisons.empty())
      judgement.not_judged.push_back(not_judged(compared, why));
    else
      fit.push_back(std::move(some));
  }
  return fit;
}

void ask(Cases cases, auto&& which, Judgement& judgement) {
  if (cases.empty()) return;
  for (auto* oracle : oracles())
    if (which(*oracle)) oracle->judge(cases, judgement);
  KnownRepeats known;
  for (auto& compared : cases)
    for (auto* c : compared.comparisons) known.add(*c);
  for (auto& f : known.settle(judgement.findings))
    if (cases.size() > 1) judgement.not_judged.push_back(taken_back(f));  // else nothing is open: the one has shown it
  known.settle(judgement.notes);
  merge(judgement.findings);
  merge(judgement.notes);
  drop_answered(judgement);
}

}  // namespace

std::string why_not_fired(const trace::Run& run) {
  auto& faults = run.connection_faults;
  if (std::ranges::any_of(faults, &trace::ConnectionFault::fired))
    return "the fault met a connection, and no request followed that could be judged";
  return "the fault was planned and never fired" + (faults.empty() ? "" : ": " + faults.front().evidence);
}

Judgement judge(Cases cases) {
  Judgement judgement;
  auto fit = fit_to_judge(cases, judgement);
  ask(fit, [](auto& oracle) { return !oracle.compares_sizes(); }, judgement);
  leave_open(fit, judgement);
  return judgement;
}
Judgement compare_sizes(const ComparedCase& compared) {
  Judgement judgement;
  auto fit = fit_to_judge(Cases(&compared, 1), judgement);
  ask(fit, [](auto& oracle) { return oracle.compares_sizes(); }, judgement);
  return judgement;
}
Judgement compare_sites(Cases cases) {
  Judgement judgement;
  auto fit = fit_to_judge(cases, judgement);
  ask(fit, [](auto& oracle) { return oracle.compares_sites(); }, judgement);
  drop_open(fit, judgement);
  return judgement;
}

}  // namespace retrial::oracles

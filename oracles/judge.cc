#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "oracles/evidence.h"
#include "oracles/failure.h"
#include "oracles/table.h"
#include "trace/calls/service_name.h"
#include "trace/comparing/jumps.h"

namespace retrial::oracles {
namespace {

using trace::Finding;

// Verdicts that can come of one and the same event: a call that was sent again, and what became of it. The others
// (delays, caps, time-outs) speak of something else, and stand beside it.
bool of_outcome(const Finding& f) {
  static constexpr std::string_view kOutcomes[] = {"duplicate-effect", "retries-non-idempotent", "silent-wrong-result",
                                                   "unrelated-exception", "crash"};
  return std::find(std::begin(kOutcomes), std::end(kOutcomes), f.verdict) != std::end(kOutcomes);
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
void drop_answered(Opinion& opinion) {
  auto& all = opinion.not_judged;
  std::vector<trace::Judged> kept;
  for (auto& j : all) {
    bool known = std::ranges::any_of(opinion.findings, [&](auto& f) { return about(j, f); }) ||
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

// Why this run may not be judged; empty: it may.
std::string unfit(const Exhibit& exhibit, const trace::Comparison& c) {
  for (auto* run : {c.in_case, c.reference})
    if (!run->incomplete.empty()) return run->incomplete;
  if (c.in_case->stop == trace::Stop::interrupted) return "interrupted";
  if (c.faulted.empty()) return "the fault was planned and never fired";
  if (auto why = drifted(c); !why.empty()) return why;
  if (auto failure = failure_of(exhibit, c); failure && may_be_ours(c, *failure))
    return "a signal met a connect before the proxy had it: the test may have failed by capture itself";
  return {};
}

}  // namespace

namespace {
Opinion ask(Cases cases, auto&& which) {
  Opinion opinion;
  std::vector<Exhibit> fit;
  for (auto& exhibit : cases) {
    Exhibit some{exhibit.row, {}, exhibit.hold};
    std::string why;
    for (auto* c : exhibit.comparisons) {
      auto reason = unfit(exhibit, *c);
      if (reason.empty())
        some.comparisons.push_back(c);
      else
        why = reason;
    }
    if (some.comparisons.empty())
      opinion.not_judged.push_back(not_judged(exhibit, why));
    else
      fit.push_back(std::move(some));
  }
  if (fit.empty()) return opinion;
  for (auto* oracle : oracles())
    if (which(*oracle)) oracle->judge(fit, opinion);
  merge(opinion.findings);
  merge(opinion.notes);
  drop_answered(opinion);
  return opinion;
}
}  // namespace

Opinion judge(Cases cases) {
  return ask(cases, [](auto&) { return true; });
}
Opinion compare_sites(Cases cases) {
  return ask(cases, [](auto& oracle) { return oracle.compares_sites(); });
}

}  // namespace retrial::oracles

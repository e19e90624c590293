#include <algorithm>

#include "oracles/failure.h"
#include "oracles/table.h"

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
  return a.site == b.site && a.operation == b.operation && a.service == b.service;
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

// Why this run may not be judged; empty: it may.
std::string unfit(const Exhibit& exhibit, const trace::Comparison& c) {
  for (auto* run : {c.in_case, c.reference})
    if (!run->incomplete.empty()) return run->incomplete;
  if (c.in_case->stop == trace::Stop::interrupted) return "interrupted";
  if (c.faulted.empty()) return "the fault was planned and never fired";
  if (auto failure = failure_of(exhibit, c); failure && may_be_ours(c, *failure))
    return "a signal met a connect before the proxy had it: the test may have failed by capture itself";
  return {};
}

}  // namespace

Opinion judge(const Exhibit& exhibit) {
  Opinion opinion;
  Exhibit fit{exhibit.row, {}, exhibit.hold};
  std::string why;
  for (auto* c : exhibit.comparisons) {
    auto reason = unfit(exhibit, *c);
    if (reason.empty())
      fit.comparisons.push_back(c);
    else
      why = reason;
  }
  if (fit.comparisons.empty()) {
    opinion.not_judged.push_back(not_judged(exhibit, why));
    return opinion;
  }
  for (auto* oracle : oracles()) oracle->judge(fit, opinion);
  merge(opinion.findings);
  merge(opinion.notes);
  if (!opinion.findings.empty()) {
    opinion.not_judged.clear();
  } else {
    auto& all = opinion.not_judged;
    auto later = [&](auto it) { return std::any_of(all.begin(), it, [&](auto& j) { return j.why == it->why; }); };
    for (auto it = all.begin(); it != all.end();) it = later(it) ? all.erase(it) : it + 1;
  }
  return opinion;
}

}  // namespace retrial::oracles

#include <algorithm>
#include <array>

#include "base/text.h"
#include "oracles/table.h"

namespace retrial::oracles {
namespace {

// The worst first: what was lost or doubled and nobody was told, then wrong errors, then what never ends, then what
// hurries.
constexpr std::array<std::string_view, 20> kOrder = {"lost-effect",
                                                     "duplicate-effect",
                                                     "state-divergence",
                                                     "silent-wrong-result",
                                                     "changed-on-retry",
                                                     "retries-non-idempotent",
                                                     "poisoned-connection",
                                                     "crash",
                                                     "unrelated-exception",
                                                     "inconsistent-retry",
                                                     "hang",
                                                     "missing-timeout",
                                                     "missing-cap",
                                                     "resource-leak",
                                                     "retry-amplification",
                                                     "missing-delay",
                                                     "no-backoff",
                                                     "ignores-retry-after",
                                                     "retries-permanent-error",
                                                     "not-retried-transient"};
// Verdicts from each of these on form a group: within a group the more certain comes first.
constexpr std::array<std::size_t, 4> kGroups = {0, 6, 10, 15};

constexpr int kNote = 1000;

}  // namespace

trace::Finding state(const Exhibit& exhibit, const trace::Comparison& comparison, const trace::Call& call,
                     std::string verdict, trace::Confidence confidence, std::string message, std::string advice) {
  auto& row = *exhibit.row;
  trace::Finding f;
  f.verdict = std::move(verdict);
  f.confidence = confidence;
  f.test = row.test;
  // The row knows the targeted call; another call (a later one without counterpart) speaks for itself.
  bool targeted = call.operation == row.operation;
  f.operation = call.operation;
  f.service = targeted && !row.service.empty() ? row.service : call.first().service;
  if (targeted) f.site = row.site;
  for (auto* e : call.attempts)
    if (!f.site) f.site = e->tag.site;
  f.policy = row.policy;
  f.fault = row.plan;
  f.message = std::move(message);
  f.advice = std::move(advice);
  for (auto* e : call.attempts) f.evidence.push_back(e->id);
  f.run = comparison.in_case->id;
  f.reference = comparison.reference->id;
  f.attempts = static_cast<int>(call.attempts.size());
  for (auto gap : trace::gaps(call)) f.gaps_ms.push_back(static_cast<double>(gap / 1000) / 1000.0);
  f.id = trace::finding_id(f.verdict, f.site, f.operation, f.fault);
  return f;
}

trace::Judged not_judged(const Exhibit& exhibit, std::string why) {
  auto& row = *exhibit.row;
  return {row.test, row.site, row.service, row.operation, row.policy, row.plan, std::move(why)};
}

trace::Judged not_judged(const Exhibit& exhibit, const trace::Call& call, std::string why) {
  auto judged = not_judged(exhibit, std::move(why));
  if (judged.operation == call.operation) return judged;  // the row's own call
  judged.operation = call.operation;
  judged.service = call.first().service;
  judged.site = call.first().tag.site;
  return judged;
}

int rank(const trace::Finding& finding) {
  auto at = static_cast<std::size_t>(std::find(kOrder.begin(), kOrder.end(), finding.verdict) - kOrder.begin());
  int group = 0;
  for (std::size_t i = 0; i < kGroups.size(); i++)
    if (at >= kGroups[i]) group = static_cast<int>(i);
  auto doubt = static_cast<int>(trace::Confidence::certain) - static_cast<int>(finding.confidence);
  return (finding.note ? kNote : 0) + group * 200 + doubt * 50 + static_cast<int>(at);
}

}  // namespace retrial::oracles

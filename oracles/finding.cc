#include <algorithm>

#include "oracles/failure.h"
#include "oracles/oracle.h"
#include "trace/comparing/retrier.h"
#include "trace/comparing/sdk.h"

namespace retrial::oracles {
namespace {

struct FileLine {
  Severity severity = Severity::information;
  int number = 0;  // among all verdicts; one that is not known comes last
};
FileLine place_of(std::string_view name) {
  int number = 0;
  for (auto* oracle : oracles())
    for (auto& verdict : oracle->verdicts()) {
      if (verdict.name == name) return {verdict.severity, number};
      number++;
    }
  return {Severity::information, number};
}

}  // namespace

trace::Finding make_finding(const ComparedCase& compared, const trace::Comparison& comparison, const trace::Call& call,
                            const Verdict& verdict, trace::Confidence confidence, std::string message,
                            std::string advice) {
  auto& row = *compared.row;
  trace::Finding f;
  f.verdict = verdict.name;
  f.note = verdict.severity == Severity::information;
  f.confidence =
      told_of_each(comparison, row.test, call) ? std::min(confidence, trace::Confidence::possible) : confidence;
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
  f.retried_by = trace::retrier(call);
  f.sdk = trace::sdk(call.first());
  f.id = trace::finding_id(f.verdict, f.site, f.operation, f.fault);
  return f;
}

trace::Judged not_judged(const ComparedCase& compared, std::string why) {
  auto& row = *compared.row;
  return {row.test, row.site, row.service, row.operation, row.policy, row.plan, std::move(why)};
}

trace::Judged not_judged(const ComparedCase& compared, const trace::Call& call, std::string why) {
  auto judged = not_judged(compared, std::move(why));
  if (judged.operation == call.operation) return judged;  // the row's own call
  judged.operation = call.operation;
  judged.service = call.first().service;
  judged.site = call.first().tag.site;
  return judged;
}

int rank(const trace::Finding& finding) {
  auto place = place_of(finding.verdict);
  auto doubt = static_cast<int>(trace::Confidence::certain) - static_cast<int>(finding.confidence);
  auto possible = finding.confidence == trace::Confidence::possible;
  return (finding.note ? 200'000 : 0) + (possible ? 100'000 : 0) + static_cast<int>(place.severity) * 10'000 +
         doubt * 1'000 + place.number;
}

}  // namespace retrial::oracles

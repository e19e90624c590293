#include "campaign/judging/site_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "trace/calls/service_name.h"

namespace retrial::campaign {

void SiteSamples::add(const trace::CaseRecord& row, const trace::Comparison& seen) {
  if (seen.faulted.empty()) return;
  repeats_.add(seen);
  auto sent_again = [](auto* call) { return call->attempts.size() > 1; };
  auto key =
      fmt::format("{}\n{}\n{}\n{}\n{}{}", row.service, row.site ? key_of(*row.site) : "", row.operation, row.plan,
                  std::ranges::any_of(seen.faulted, sent_again), std::ranges::all_of(seen.faulted, sent_again));
  if (!known_.insert(key).second) return;
  auto& sample = samples_.emplace_back(row, *seen.in_case);
  sample.comparison = trace::compare(*seen.reference, sample.run);
  std::erase_if(sample.comparison.faulted, [&](auto* call) {
    return std::ranges::none_of(seen.faulted, [&](auto* was) { return was->first().id == call->first().id; });
  });
}

void SiteSamples::settle(trace::CampaignRecord& record) const {
  for (auto& f : repeats_.settle(record.findings)) record.not_judged.push_back(oracles::taken_back(f));
  repeats_.settle(record.notes);
}

oracles::Judgement SiteSamples::compare(Nanos hold) const {
  std::vector<oracles::ComparedCase> cases;
  for (auto& s : samples_) cases.push_back({&s.row, {&s.comparison}, hold});
  return cases.empty() ? oracles::Judgement{} : oracles::compare_sites(cases);
}

void take_from_clean(std::vector<trace::Judged>& clean, const std::vector<trace::Finding>& compared) {
  auto one = [](auto& said) {
    return std::tuple(said.site ? key_of(*said.site) : "", said.operation, trace::service_name(said.service),
                      said.fault);
  };
  std::erase_if(
      clean, [&](auto& right) { return std::ranges::any_of(compared, [&](auto& f) { return one(f) == one(right); }); });
}

}  // namespace retrial::campaign

#pragma once
#include <functional>
#include <set>
#include <string>

#include "campaign/planning/references.h"
#include "campaign/stress/series.h"
#include "campaign/workload/context.h"
#include "trace/campaign_record.h"

namespace retrial::campaign {

// What a service might answer that costs its client most: WEDGE (chapter 5 of the dissertation that WASABI is chapter 4
// of), which contrasts fast runs with slow ones and searches for inputs that make the difference larger. Here the
// inputs of a client are its service's answers. Of each call these are made to grow, each by one fault, in its test
// alone:
//
//   lists    grow(N)             a JSON answer's lists have N times their entries; then those of all calls of a test do
//   pages    another-page x N    the last page tells of another one, N times
//   errors   error(transient) x N  N requests fail; of a call that sends several, then one of so many does
//   bytes    lengthen(N)         a body that is no JSON comes N times over
//   drip     drip(N, TIME)       the answer comes within no time-out of one read, and beyond all of them together
//
// The largest size comes first, and where it costs little the smaller ones are not run (Sizes). What they show together
// oracles::compare_sizes says.
class Stress {
 public:
  // All must outlive it. `time_left`: until the budget ends.
  Stress(CampaignContext& context, trace::CampaignRecord& record, std::function<Nanos()> time_left);

  // Every call of these. An error where nothing can be run any more.
  Result<void> run(const References& refs);
  // One row of an earlier campaign again; `alone` is its test without faults.
  Result<void> again(const trace::CaseRecord& row, const trace::Run& alone);

 private:
  using Runs = std::vector<const trace::Run*>;
  Result<void> try_call(const trace::CaseRecord& row, const trace::Run& reference);
  Result<void> try_together(const References& refs);
  // The test of this row without faults, alone; null: why it is not tried stands in a row of the record.
  Result<const trace::Run*> ready(const trace::CaseRecord& row);
  Result<void> try_series(trace::CaseRecord row, Series series, const trace::Run& alone);
  // Runs with more and more of it; false: why not stands in the row.
  Result<bool> measure(trace::CaseRecord& row, const Series& series, const trace::Run& alone, Runs& runs);
  Result<const trace::Run*> run_with(trace::CaseRecord& row, const Series& series, const trace::Run& alone);
  Result<const trace::Run*> alone(const std::string& test);
  void not_judged(trace::CaseRecord& row, std::string_view why);
  void conclude(trace::CaseRecord& row, const Series& series, const trace::Run& alone, const Runs& runs);

  CampaignContext& context_;
  trace::CampaignRecord& record_;
  std::function<Nanos()> time_left_;
  std::set<std::string> not_alone_;  // tests that do not pass alone
};

}  // namespace retrial::campaign

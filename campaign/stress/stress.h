#pragma once
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "campaign/planning/references.h"
#include "campaign/stress/series.h"
#include "campaign/workload/context.h"
#include "trace/campaign_record.h"

namespace retrial::campaign {

// Did the client take all of it in? It did where its test goes on to look at what it got, and even where that is not
// what it expects. Whoever ends with another error has not.
bool took_it_in(const trace::Run& run, const std::string& test);
inline constexpr std::string_view kOwnError = "the client ended with an error of its own before it had taken all in";

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
// What costs little to try comes first, of every call: pages and errors, then lists and bytes, then what takes real
// time. The largest size comes first, and where it costs little the smaller ones are not run (Sizes). What they show
// together oracles::compare_sizes says.
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
  struct Tried {  // a call
    trace::CaseRecord row;
    const trace::Run* reference = nullptr;
    std::vector<Series> series;
  };
  std::vector<Tried> calls_of(const References& refs);
  // What was asked and had no good answer, so that nothing is tried there.
  void name_others(const References& refs, const std::vector<Tried>& calls);
  Result<void> try_together(const References& refs);
  // The test of this row without faults, alone; null: why it is not tried stands in a row of the record.
  Result<const trace::Run*> ready(const trace::CaseRecord& row);
  Result<void> try_series(trace::CaseRecord row, Series series);
  Result<void> try_series(trace::CaseRecord row, Series series, const trace::Run& alone);
  Result<void> try_runs(trace::CaseRecord& row, Series series, const trace::Run& alone);
  Result<const trace::Run*> alone(const std::string& test);

  // measure.cc
  // What came of the runs of a series with more and more of it.
  struct Measured {
    Runs runs;           // those that were cut too: what they cost is the least that they would have
    bool cut = false;    // one was
    bool whole = false;  // nothing is missing
  };
  // Where there are none, or they are not whole, why stands in the row.
  Result<Measured> measure(trace::CaseRecord& row, const Series& series, const trace::Run& alone);
  // `times`: of what a run may work at first.
  Result<const trace::Run*> run_with(trace::CaseRecord& row, const Series& series, const trace::Run& alone, int times);

  // conclude.cc
  void conclude(trace::CaseRecord& row, const Series& series, const trace::Run& alone, const Measured& measured);
  void not_judged(trace::CaseRecord& row, std::string why);

  CampaignContext& context_;
  trace::CampaignRecord& record_;
  std::function<Nanos()> time_left_;
  std::set<std::string> not_alone_;  // tests that do not pass alone
};

}  // namespace retrial::campaign

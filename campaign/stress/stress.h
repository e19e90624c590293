#pragma once
#include <functional>
#include <optional>
#include <string>

#include "campaign/planning/references.h"
#include "campaign/planning/targets.h"
#include "campaign/workload/context.h"
#include "trace/campaign_record.h"
#include "trace/comparing/growth.h"

namespace retrial::campaign {

// What a service might answer that costs its client most: WEDGE (chapter 5 of the dissertation that WASABI is chapter 4
// of), which contrasts fast runs with slow ones and searches for inputs that make the difference larger. Here the
// inputs of a client are its service's answers. Of each call three things are made to grow, each by one fault, in its
// test alone:
//
//   lists    grow(N)                   the answer's lists have N times their entries
//   pages    another-page x N          the last page tells of another one, N times
//   errors   error(transient) x N      N requests fail
//
// The largest size comes first, and where it costs little the smaller ones are not run. Else the size is halved until
// there are four whose cost stands out, or none. What they show together oracles::compare_sizes says.
class Stress {
 public:
  // All must outlive it. `time_left`: until the budget ends.
  Stress(CampaignContext& context, trace::CampaignRecord& record, std::function<Nanos()> time_left);

  // Every call of these, what ends soonest first. An error where nothing can be run any more.
  Result<void> run(const References& refs);
  // One row of an earlier campaign again; `alone` is its test without faults.
  Result<void> again(const trace::CaseRecord& row, const trace::Run& alone);

 private:
  struct Series {
    trace::Load::Of of{};
    std::string member;     // of pages: the one that tells of the next, where the reference shows it
    std::int64_t most = 0;  // the largest size
  };
  Result<void> try_series(trace::CaseRecord row, const Series& series, const trace::Run& alone);
  Result<const trace::Run*> run_with(trace::CaseRecord& row, const trace::Run& alone);
  void over(trace::CaseRecord row, std::string outcome, std::string why);
  Result<const trace::Run*> alone(const std::string& test);
  std::vector<Series> series_of(const trace::CaseRecord& row, const trace::Run& reference) const;
  void conclude(trace::CaseRecord row, const Series& series, const trace::Run& alone,
                const std::vector<const trace::Run*>& runs);

  CampaignContext& context_;
  trace::CampaignRecord& record_;
  std::function<Nanos()> time_left_;
};

// The member of a JSON answer whose value a later request of the same operation sends back: "nextPageToken". Empty:
// none is seen.
std::string page_member(const trace::Run& run, const trace::CaseRecord& row);

}  // namespace retrial::campaign

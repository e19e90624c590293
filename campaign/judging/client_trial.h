#pragma once
#include <map>
#include <span>
#include <string>
#include <vector>

#include "campaign/workload/turns.h"
#include "oracles/oracle.h"
#include "trace/campaign_record.h"
#include "trace/comparing/sift.h"

// The trial of one client, outside of a campaign: what `observe` and `judge` share.
namespace retrial::campaign {

// One case as it is brought before the oracles. Nothing is owned.
struct ClientCase {
  trace::CaseRecord row;
  const trace::Run* reference = nullptr;  // null: none; an empty run lies beside it
  std::vector<const trace::Run*> runs;    // with the fault
  Nanos hold = 0;
  const trace::Run* control = nullptr;  // once more without the fault, after all of them; null: there was none
};

// All cases of one client together. Findings, notes, what is clean and what is not judged go to `record`, and each row,
// with its outcome; what `sift` left out of a run is told in numbers. Of findings `confirmed` says that they rest on
// all runs that there are. True: the evidence is too thin as yet, one more run would help.
bool judge_client(std::span<ClientCase> client_cases, const trace::Sift& sift, trace::CampaignRecord& record);

// In the traffic of `serve` each fault that fired is a row.
std::vector<trace::CaseRecord> rows_by_fault(std::span<const trace::Run> runs);

// A trace as it is read, exchange by exchange: what is kept of it, and whom it speaks to.
class GatheredTrace {
 public:
  void take(std::uint64_t run, trace::Exchange&& e);
  const trace::Sift& sift() const { return sift_; }
  void give(trace::Run& run) { sift_.give(run); }
  // Once its calls are known: turns of a loop over things are no attempts (Turns).
  void part_turns(trace::Run& run) { turns_.part(run); }
  std::vector<trace::ServiceSeen> services() const;

 private:
  trace::Sift sift_;
  Turns turns_;
  std::map<std::string, trace::ServiceSeen> services_;
};

}  // namespace retrial::campaign

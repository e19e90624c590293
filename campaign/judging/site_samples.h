#pragma once
#include <list>
#include <set>
#include <string>
#include <vector>

#include "oracles/known_repeats.h"
#include "oracles/oracle.h"

namespace retrial::campaign {

// What only all cases of a campaign show together. Oracles that compare call sites need, of each call site, operation
// and fault plan, one case that was retried, and one that was not.
class SiteSamples {
 public:
  // A case that was run. Unless there is such a one already, what it saw is copied; its reference must stay.
  void add(const trace::CaseRecord& row, const trace::Comparison& seen);
  oracles::Judgement compare(Nanos hold) const;
  // Findings of one case that another refutes are taken out, and said; what another doubts is possible; notes are taken
  // out.
  void settle(trace::CampaignRecord& record) const;

 private:
  struct Sample {
    trace::CaseRecord row;
    trace::Run run;
    trace::Comparison comparison;
  };
  std::list<Sample> samples_;
  std::set<std::string> known_;
  oracles::KnownRepeats repeats_;  // of all
};

// Takes away what comparing call sites has something to say of.
void take_from_clean(std::vector<trace::Judged>& clean, const std::vector<trace::Finding>& compared);

}  // namespace retrial::campaign

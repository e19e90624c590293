#pragma once
#include <list>
#include <set>
#include <string>

#include "oracles/oracle.h"

namespace retrial::campaign {

// What oracles that compare call sites need of a campaign: of each call site, operation and fault plan one case that
// was retried, and one that was not.
class SiteSamples {
 public:
  // A case that was run. Unless there is such a one already, what it saw is copied; its reference must stay.
  void add(const trace::CaseRecord& row, const trace::Comparison& seen);
  oracles::Judgement compare(Nanos hold) const;

 private:
  struct Sample {
    trace::CaseRecord row;
    trace::Run run;
    trace::Comparison comparison;
  };
  std::list<Sample> samples_;
  std::set<std::string> known_;
};

}  // namespace retrial::campaign

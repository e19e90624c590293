#pragma once
#include <memory>
#include <vector>

#include "campaign/judging/company_verdict.h"

namespace retrial::campaign {

// Which failures are left behind in the process (kept-failure): a test of a company that met no fault and failed, as
// one before it failed by its fault, makes that one's case suspected. It writes to the verdict that it was given, of
// cases that stand in it; all that it is given outlives it.
class LeftFailures {
 public:
  LeftFailures(CompanyVerdict& verdict, const References& refs, Nanos hold)
      : verdict_(verdict), refs_(refs), hold_(hold) {}

  // The next test of the run, in their order: its own seat and what it did. Its cases are judged afterwards.
  void ran(const Seat& seat, const trace::Run& slice);

 private:
  struct Failed {
    const Seat* seat;
    std::shared_ptr<trace::Run> slice;
  };
  void look_back(const Seat& next, const trace::Run& slice);
  bool suspect(Case& c, trace::Run slice, const Seat& next, const trace::Run& next_slice);

  CompanyVerdict& verdict_;
  const References& refs_;
  Nanos hold_;
  std::vector<Failed> failed_;
};

}  // namespace retrial::campaign

#pragma once
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "campaign/planning/plan.h"

namespace retrial::campaign {

// In which order the cases of a plan are run, and which need not be run, by what those before them have shown
// (docs/decisions/0003). Cases are its plan's, and so is `outcome`: only what is "planned" is still to be run.
class Schedule {
 public:
  // `policies`: those of the plan. Both must outlive it.
  Schedule(std::vector<Case>& cases, std::span<const policies::Policy* const> policies)
      : cases_(cases), policies_(policies) {}

  // What is planned and not under way, the most value for its time first; each further case of a family counts for
  // less, those that were run too. Of cases that begin with the same fault at the same call one at a time: it may
  // answer the others. Left out is whose policy needs something of other cases, as long as there are others; and what
  // goes further than was asked for, as long as anything else is open.
  std::vector<Case*> next() const;
  bool only_further() const;  // all that was asked for is done
  // Why this case need not be run: what it would do to later attempts is never asked, or its policy is not meant for
  // such a call. Empty: it has to be.
  std::string answered(const Case& c) const;
  // It was run: the faulted call made so many attempts (0: the fault did not fire).
  void ran(const Case& c, int attempts);

 private:
  struct Seen {
    int attempts = 0;  // the most that the call has made
    std::string in;    // the case
  };
  const Seen* seen_under(const Case& c, const std::string& first_fault) const;
  bool may_be_shown(const policies::Policy& policy) const;

  std::vector<Case>& cases_;
  std::span<const policies::Policy* const> policies_;
  std::map<std::pair<std::string, std::string>, Seen> seen_;  // by call and first fault
};

}  // namespace retrial::campaign

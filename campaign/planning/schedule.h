#pragma once
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "campaign/planning/plan.h"

namespace retrial::campaign {

// Which case of a plan is run next, and which need not be run, by what those before it have shown
// (docs/decisions/0003). Cases are its plan's, and so is `outcome`: only what is "planned" is still to be run.
class Schedule {
 public:
  static constexpr Nanos kNoLimit = INT64_MAX;

  // `policies`: those of the plan. Both must outlive it.
  Schedule(std::vector<Case>& cases, std::span<const policies::Policy* const> policies)
      : cases_(cases), policies_(policies) {}

  // Of what is planned and expected to take no longer than `time`, the case with the most value for its time; one
  // whose policy needs something of earlier cases only when no other is left. Null: there is none. Every case that is
  // given out makes further ones of its family count for less.
  Case* next(Nanos time);
  // Why this case need not be run: what it would do to later attempts is never asked, or its policy is not meant for
  // such a call. Empty: it has to be.
  std::string answered(const Case& c) const;
  // It was run: the faulted call made so many attempts (0: the fault did not fire), and one run took that long.
  void ran(const Case& c, int attempts, Nanos took);

  Nanos expected(const Case& c) const;  // how long one run of it takes, as far as was measured
  Nanos expected_of_all() const;        // of all that are planned

 private:
  struct Seen {
    int attempts = 0;  // the most that the call has made
    std::string in;    // the case
  };
  const Seen* seen_under(const Case& c, const std::string& first_fault) const;
  bool may_be_shown(const policies::Policy& policy) const;

  std::vector<Case>& cases_;
  std::span<const policies::Policy* const> policies_;
  std::map<std::string, Nanos> took_;                         // by Case::cost_key
  std::map<std::string, int> given_out_;                      // by Case::family_key
  std::map<std::pair<std::string, std::string>, Seen> seen_;  // by target and first fault
};

}  // namespace retrial::campaign

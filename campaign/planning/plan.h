#pragma once
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "campaign/config/config.h"
#include "campaign/workload/director.h"
#include "policies/policy.h"
#include "trace/campaign_record.h"
#include "trace/profiles/profile.h"

namespace retrial::campaign {

// One case as it is going to be run: the row that the report shows, and what the director needs for it.
struct Case {
  trace::CaseRecord row;
  Aim aim;
  const policies::Policy* policy = nullptr;
  bool stalls = false;                            // some attempt is held
  trace::Repeat repeat = trace::Repeat::unknown;  // of the targeted operation
  const trace::Run* reference = nullptr;          // the test run alone
  double value = 1;                               // how likely it is to show a bug, against other cases
  Nanos expected = 0;                             // how long one run of it will take

  // What it shares with the other cases of its target.
  std::string target_key() const;
  // What it shares with cases at other paths: call site, method and faults.
  std::string family_key() const;
  // What it shares with cases that take the same time: policy, faults and service.
  std::string cost_key() const;
};

struct Plan {
  std::vector<Case> cases;  // policy by policy; whoever runs them takes the most promising first
  std::size_t targets = 0;
  std::vector<std::string> repeated;  // operations with an effect that some case will have sent again
  std::vector<std::string> remarks;
};

// c0: every call site x operation x policy once, in the cheapest test that reaches it. `alone`: each test run alone, by
// test id. A call whose reference answer was an error is no target; calls in set-up and teardown and from test files
// are left alone, unless the suite has no application call sites at all.
Plan make_plan(const std::map<std::string, const trace::Run*>& alone,
               const std::vector<const policies::Policy*>& policies, const Config& config);

}  // namespace retrial::campaign

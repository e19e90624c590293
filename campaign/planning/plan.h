#pragma once
#include <map>
#include <span>
#include <string>
#include <vector>

#include "campaign/config/config.h"
#include "campaign/planning/case.h"
#include "campaign/planning/plan_file.h"

namespace retrial::campaign {

inline constexpr Nanos kNoLimit = INT64_MAX;  // of time: there is no budget

struct Plan {
  std::string id;           // see plan_id
  std::vector<Case> cases;  // policy by policy; whoever runs them takes the most promising first
  std::vector<std::string> remarks;
};

using Tests = std::map<std::string, const trace::Run*>;  // what each test does without faults, by its id
// By test, the runs in which a process was ended and that was borne, or left somebody waiting (deaths.h).
using SeenDeaths = std::map<std::string, std::vector<const trace::Run*>>;

// Faults never reach the outside world.
bool may_be_faulted(std::string_view service, const Config& config);

// Every target that [run] coverage wants x every plan of these policies, once. Calls from test files are targets only
// where the suite has no application call sites at all.
Plan make_plan(const Tests& tests, const std::vector<const policies::Policy*>& policies, const Config& config,
               const SeenDeaths& deaths = {});
// The cases of a plan file, in its order. The remarks say which of them fit no call of these tests; none is an error of
// the user's.
Result<Plan> make_plan(const Tests& tests, std::span<const PlannedCase> planned, const Config& config);

// How many calls are put on trial, without those further on.
std::size_t targets(const Plan& plan);
// Operations that write and whose answer some case loses, in order: a client that retries has them done again.
std::vector<std::string> repeated(const Plan& plan);
// Sixteen hex digits of all of them in their order: the same for whoever plans the same.
std::string id_of(std::span<const Case> cases);
std::string id_of(std::span<const PlannedCase> cases);

}  // namespace retrial::campaign

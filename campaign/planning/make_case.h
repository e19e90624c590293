#pragma once
#include <string>
#include <vector>

#include "campaign/planning/plan.h"
#include "campaign/planning/targets.h"

// What a plan is made of, whether it is ours or a file's.
namespace retrial::campaign {

// Calls that faults may reach; `test_files`: those that the tests themselves make, too.
std::vector<Found> targets_of(const Tests& tests, bool test_files, const Config& config);

Case make_case(const Found& f, const policies::Policy& policy, const policies::FaultPlan& faults, const Config& config);
// Its fault meets each call of its site in the test.
void meet_all(Case& c);
void append_case(Plan& plan, Case c, std::size_t number);

// What a case is, whatever the machine: where it may be tried anywhere, its test is a matter of time.
std::string key_of(const Case& c);

// The first few, and how many more there are.
std::string first_few(const std::vector<std::string>& all);

}  // namespace retrial::campaign

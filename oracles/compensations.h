#pragma once
#include <map>
#include <string>
#include <vector>

#include "trace/campaign_record.h"
#include "trace/comparing/comparison.h"

// What an application takes back of what it does, step by step (Garcia-Molina and Salem, "Sagas", SIGMOD'87).
namespace retrial::oracles {

// Read off the tests' runs without faults.
class Compensations {
 public:
  // What this test makes and the application itself (no file of tests) removes, ends or gives up.
  void learn(const trace::Run& run, const std::string& test);
  // Of the steps that one function takes with the last of these calls (in their order), the latest that is known to be
  // taken back somewhere: where that function did so after an error, wherever else; none: `step` is empty.
  trace::Compensation before(const std::vector<const trace::Call*>& calls, const std::string& test) const;

 private:
  struct Known {
    trace::Compensation compensation;
    std::string step_site;  // key_of
  };
  std::map<std::string, std::vector<Known>, std::less<>>
      known_;  // by the step's operation; one after an error, one not
};

// "POST /refunds", "PUT /refunds/ch_1", "POST /charges/ch_1/void": it undoes what it names.
bool undoes(const trace::Exchange& e);

// Does this call's function take the step, too? A login is none: what comes later goes on with it.
bool is_step_before(const trace::Exchange& step, const trace::Exchange& work, const std::string& test);

}  // namespace retrial::oracles

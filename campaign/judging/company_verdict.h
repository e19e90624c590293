#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "campaign/planning/company.h"
#include "oracles/oracle.h"

namespace retrial::campaign {

// What a run in company has shown of a case. It is a suspicion or a clearance, never a finding.
struct Shown {
  enum class What {
    clean,      // the fault fired, and nothing was found
    suspicion,  // something was found: to be confirmed alone
    doubt,      // something could not be judged: to be tried alone
    thin,       // nothing was found as yet: once more
    vain,       // nothing: it did not fire, or its test went otherwise before it did, or we could not record it
    not_run,    // its test was not reached, or another case was in the way: as if it had not been tried
  };
  Case* c = nullptr;
  What what = What::vain;
  oracles::Judgement judgement = {};
  int attempts = 0;  // that the fault met
};

struct CompanyVerdict {
  std::vector<Shown> shown;    // of every case in it
  std::string disturbed = {};  // the first test that did not do as it does else, though nothing was done to it by then
  std::string how = {};        // what it did
  std::vector<Seat> before = {};          // those with cases whose tests were run before it: one of them disturbs it
  std::vector<std::string> missing = {};  // tests that the run did not reach although it ended by itself
  // Tests that did otherwise when they were executed again: what they do is not the same twice in one process.
  std::set<std::string> once = {};
  // What tests did otherwise in a run in which nothing was aimed at anybody.
  std::map<std::string, std::string> own_way = {};
};

// How a call that nothing was found of met its fault: "2 attempts, then recovered; the test passed".
std::string what_was_right(const trace::Comparison& comparison, const std::string& test);

// What this case saw of its test in a run in company. `shared`: with other cases in that test, whose calls are not its.
trace::Comparison compare_case(const Case& c, const trace::Run& slice, bool shared);

// Reads `run`. What its cases saw is kept by them (Case::seen). Where a test was disturbed, nothing of the run stands
// but suspicions. What is a test's own way (CompanyVerdict::own_way) where others are left out disturbs it not.
CompanyVerdict judge_company(const Company& company, trace::Run run, const References& refs, Nanos hold,
                             const std::map<std::string, std::string>& own_way = {});

}  // namespace retrial::campaign

#pragma once
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "campaign/planning/plan.h"
#include "campaign/planning/services_seen.h"
#include "campaign/workload/context.h"

namespace retrial::campaign {

// What the suite does without any fault, seen twice. What a test does in it is what its cases are laid beside.
struct References {
  std::uint64_t suite = 0;  // the run that is the reference
  Nanos took = 0;           // it
  std::vector<trace::ServiceSeen> services;
  std::map<std::string, const trace::Run*> tests;  // by test id: those that can be put on trial, as slices of the suite
  std::map<std::string, std::size_t> place;        // of each of them in the suite's order
  std::map<std::string, std::string> unsteady;     // of these, the ones that did not do the same twice: what differed
  std::map<std::string, int> process;              // that each test of the suite begins in: one, or one a file
  int processes = 1;                               // of these
  Nanos start = 0;                                 // what a run takes beside its tests
  std::vector<std::string> left_alone;             // tests and files that were left out, each with why
  std::vector<std::string> remarks;                // of the suite itself: how it fails, what it was taken for
  bool executes_again = false;                     // a run can execute a test several times (trace/executions.h)
  bool side_by_side = false;                       // runs of it at the same time do what one alone does
  bool share_services = false;                     // some are there for all runs at once
  SeenDeaths deaths = {};                          // of learn_deaths
  std::deque<trace::Run> slices;
  std::deque<trace::Run> suites;  // of CampaignContext::keep_suites: the last two runs of it

  int process_of(const std::string& test) const;
  Nanos start_of_process() const { return start / processes; }  // for a run of the tests of one alone
};

// Runs the suite until two runs in a row are alike, three times at most. Where no service of it is there for all runs
// at once (or workers were asked for), and there are some, the second and third are run side by side: if they do what
// the first did, so may all others. Once the clock has passed `time_left` (0: never) no more than is needed. An error
// where nothing is left to try, which says what was seen instead (Blame::user), or where nothing could be run.
Result<References> collect_references(CampaignContext& context, Nanos time_left);

// Does this run's test pass, as the runner says?
bool passed(const trace::Run& run, const std::string& test);

}  // namespace retrial::campaign

#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "campaign/workload/context.h"

namespace retrial::campaign {

// The two references: the suite as the user runs it, then each of its tests that sends requests, alone, as a case will.
struct References {
  const trace::Run* suite = nullptr;
  std::map<std::string, const trace::Run*> alone;  // by test id: those that can be put on trial
  std::set<std::string> wide;                      // of these, the ones that the narrow launch did not reach
  std::vector<std::string> left_alone;             // tests and files that were left out, each with why
  std::string wrapped;                             // of a command that is no runner: what it was taken for
  std::string failed;                              // how the suite itself fails, if it does (last_words.h)
};

// `time_left`: stop taking tests alone once the clock has passed it (0: never). An error where nothing is left to try,
// which says what was seen instead (Blame::user), or where nothing could be run.
Result<References> collect_references(CampaignContext& context, Nanos time_left);

// Does this run's test pass, as the runner says?
bool passed(const trace::Run& run, const std::string& test);

}  // namespace retrial::campaign

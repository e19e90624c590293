#pragma once
#include <map>
#include <string>
#include <vector>

#include "trace/campaign_record.h"
#include "trace/run.h"

namespace retrial::trace {

// What a run of many tests holds of each of them, by test id, as if it had been run alone: its results, its own
// exchanges (not those of fixtures that it shares with others), and the run's times and marks, and its jumps until
// then. A test that was under way when the run was ended, or its process died, ends as the run does; every other has
// exited. Tests that neither ended nor sent anything are not there.
std::map<std::string, Run> slices_of(Run run);
// Is it in the slice of the test that it names?
inline bool is_of_slice(const Exchange& e) { return !e.tag.test.empty() && e.tag.phase != Phase::shared; }

// What a run of this case alone executes: its test, and the one that follows it, if one does.
std::vector<std::string> tests_of(const CaseRecord& row);
// Of such a run of two: what the first did, and behind it (Run::followed_by) what the second did, which has the jumps
// of both.
Run slice_with_next(Run run, const CaseRecord& row);

// Where an exchange was held until we gave it up, the run shows what one that was ended there would have shown.
void end_where_given_up(Run& slice);

// How long a test took by its own word, its set-up and teardown too; where it says nothing, as long as the run.
Nanos time_of(const Run& slice);

}  // namespace retrial::trace

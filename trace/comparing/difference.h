#pragma once
#include <map>
#include <string>

#include "trace/comparing/comparison.h"

namespace retrial::trace {

// What a test did, as far as it is looked at here.
struct Conduct {
  std::string outcome = "not ended";
  std::map<std::string, std::string> sent;  // by operation and call site: what a reader is told of it
};
// Of every test of a run that ended or sent anything (slices_of), by its id.
std::map<std::string, Conduct> conducts_of(const Run& suite);

// What this test did otherwise than in the reference: its outcome, or what it sent from where (how often, and to which
// port, is not looked at: polls and fixtures differ). "" where nothing did, else in words: "it failed", "it did not
// send POST /jobs at src/jobs.mjs:41".
std::string difference(const Conduct& reference, const Conduct& now);
std::string difference(const Run& reference, const Run& now, const std::string& test);

// The same of what came before the first fault; of all that it sent where none fired.
std::string difference_before_fault(const Comparison& comparison);

}  // namespace retrial::trace

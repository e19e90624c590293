#pragma once
#include <map>
#include <string>

#include "checkers/checker.h"
#include "trace/run.h"

namespace retrial::checkers {

// Checkers with one field each, by what makes two of them the same.
using Candidates = std::map<std::string, Checker>;

// What holds somewhere in one test's run: its values become parameters, and where a value that was sent is answered
// again, or a number moves with what was sent, a rule may be behind it. Whether it is one, `learn` finds out. At most
// kMostCandidates.
void propose(const trace::Run& slice, const std::string& test, Candidates& candidates);
inline constexpr std::size_t kMostCandidates = 20'000;

}  // namespace retrial::checkers

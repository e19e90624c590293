#pragma once
#include <string>
#include <string_view>

#include "trace/run.h"

namespace retrial::trace {

// A run may execute a test several times in one process, one after another. In that run an execution after the first
// goes by a name of its own: "tests/a.py::b [again 2]". Every hook that can do so makes it of the ids that it is given.
std::string execution_of(const std::string& test, int nth);  // nth from 1

// What a client is given between a failed test and the next, of its own time, where its clock is moved: longer than
// breakers stay open by default (60 s: resilience4j, pybreaker; Polly 5 s, opossum 30 s), and failures are kept on
// purpose.
inline constexpr Nanos kRest = 600 * kSecond;

// The test that is executed: itself, where it is no such name.
std::string_view test_of(std::string_view execution);

// The slice of one execution, as the test's own.
Run as_test(Run slice);

}  // namespace retrial::trace

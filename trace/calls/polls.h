#pragma once
#include <cstdint>
#include <map>

#include "trace/calls/lessons.h"

namespace retrial::trace {

// The polls of a run without faults, with the pace of each (Lessons::polls). `lessons`: names are learned already.
std::map<std::uint64_t, Nanos> polls_of(const Run& run, const Lessons& lessons);

// Does a look that comes so long after one that failed, at a poll of this pace, not wait for its turn?
// docs/decisions/0007
bool hurries_beside(Nanos pace, Nanos pause);

}  // namespace retrial::trace

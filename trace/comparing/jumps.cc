#include "trace/comparing/jumps.h"

#include <algorithm>
#include <numeric>

namespace retrial::trace {

namespace {
Nanos sum(auto from, auto to) {
  return std::accumulate(from, to, Nanos{}, [](Nanos all, const Jump& jump) { return all + jump.by; });
}
}  // namespace

Nanos waited(const Run& run, Nanos from, Nanos to) {
  auto first = std::ranges::lower_bound(run.jumps, from, {}, &Jump::at);
  auto last = std::ranges::lower_bound(first, run.jumps.end(), to, {}, &Jump::at);
  return sum(first, last);
}

Nanos jumped(const Run& run) { return sum(run.jumps.begin(), run.jumps.end()); }

}  // namespace retrial::trace

#pragma once
#include <string>
#include <vector>

#include "trace/run.h"

namespace retrial::campaign::report {

// What --look read when a command had ended, beside what it reads without the fault, a line each: "GET /things, read at
// the end: a list of 4, and of 5 without the fault"; also of those that show the same, or could not be read. Empty:
// there were none. `control`: once more without the fault, after it; where that shows another thing by itself, that is
// said.
std::vector<std::string> what_looks_show(const trace::Run& reference, const trace::Run& run,
                                         const trace::Run* control = nullptr);

}  // namespace retrial::campaign::report

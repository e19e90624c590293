#pragma once
#include <set>
#include <string>
#include <vector>

#include "campaign/report/waterfall_rows.h"

namespace retrial::campaign::report {

// One panel: the calls of a run as bars on a time axis, one row an attempt, those in question (`focus`, by id) among
// their neighbours. In lanes, each process has a head with the time in which it was seen, and where a fault ended it.
// Escaped, self-contained SVG; `title` is its accessible name.
std::string waterfall(const trace::Run& run, const std::vector<trace::Call>& calls,
                      const std::set<std::uint64_t>& focus, std::string_view title, Lanes lanes = Lanes::none);

// How the client was told of an exchange's end, in a word or two: "201", "RST", "FIN", "503 in place of 201",
// "UNAVAILABLE by fault", "REFUSED_STREAM", "held 30.0 s".
std::string told_as(const trace::Run& run, const trace::Exchange& exchange);

// When an exchange ended for the client; for one that was left open, when its run ended.
Nanos end_of(const trace::Run& run, const trace::Exchange& exchange);

}  // namespace retrial::campaign::report

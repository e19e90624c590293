#pragma once
#include <string>

#include "trace/comparing/comparison.h"

// Whether a request that was carried out twice has set something, by what is read afterwards of the thing whose part
// its path is, or that it is: "GET /members/m1" of "POST /members/m1/limit". Only a look counts that tells what the
// reference is told there, but for the thing's own name, and names and times that each run draws; it is given as its
// operation.
namespace retrial::oracles {

// It tells all that was sent ({"limit": 7}) by the very names and values, outside of any list: what is added, or made
// once more, is more. Empty: none does.
std::string what_was_set(const trace::Comparison& c, const trace::Exchange& before, const trace::Exchange& next);

// Whatever it tells. Empty: there is none.
std::string thing_as_usual(const trace::Comparison& c, const trace::Exchange& before, const trace::Exchange& next);

}  // namespace retrial::oracles

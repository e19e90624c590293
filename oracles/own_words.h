#pragma once
#include "oracles/failure.h"

// Who gives up may tell it in words of his own, that name what was not done and not the error that was met.
namespace retrial::oracles {

// How often the same was asked, as calls of their own that all met the fault: who looks until a thing is there says
// at last, in its own words, that it was not.
std::size_t times_asked(const trace::Comparison& c, const trace::Call& call);

// Does what is told say that this call came to nothing, and no other error? By a word for failures beside what was
// asked for; or after several attempts, by whatever means no error of its own ("not found").
bool says_so_itself(const trace::Comparison& c, const trace::Call& call, const Failure& failure);

}  // namespace retrial::oracles

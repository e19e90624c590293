#pragma once
#include "trace/comparing/comparison.h"

namespace retrial::oracles {

// Was a process ended in it by a fault (crash)? What is seen then is not how its client bears an error.
bool of_death(const trace::Comparison& c);

}  // namespace retrial::oracles

#pragma once
#include <vector>

#include "scan/limits.h"
#include "scan/location.h"

namespace retrial::scan {

// What one file holds; what it leaves open for others to say.
struct Found {
  std::vector<Location> locations;
  std::vector<Delay> delays;
  std::vector<Location> decorators;  // `resilient = retry(stop=…)`: `by` is the name, the function is none
  std::vector<Location> decorated;   // `@resilient`: a place if one of `decorators` has that name
  bool too_much = false;             // of it: nothing was found out
};

}  // namespace retrial::scan

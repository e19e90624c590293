#pragma once
#include <vector>

#include "scan/limits.h"
#include "scan/location.h"

namespace retrial::scan {

// What one file leaves open and another one says: how long a function of the project waits, how often a wrapper of its
// own tries. Only where one name means one thing in all of the project.
void complete(std::vector<Location>& locations, const std::vector<Delay>& delays);

}  // namespace retrial::scan

#pragma once
#include "scan/found.h"

namespace retrial::scan {

// What one file leaves open and another one says: how long a function of the project waits, how often a wrapper or a
// decorator of its own tries. Only where one name means one thing in all of the project. `all` is of all its files.
void complete(Found& all);

}  // namespace retrial::scan

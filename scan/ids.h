#pragma once
#include <vector>

#include "scan/location.h"

namespace retrial::scan {

// Gives each verdict its id, eight hex digits like a finding's: the same as long as the verdict's name, the function,
// what is called and the file stay, the file as its repository names it. Where several verdicts share these, they are
// counted by their lines. `all` is sorted by file and line; what has an id keeps it.
void give_ids(std::vector<Location>& all);

}  // namespace retrial::scan

#pragma once
#include <vector>

#include "checkers/checker.h"

namespace retrial::checkers {

// Of checkers with one field each: one for all fields of a rule and its operations, but of rules that read each field
// for itself; in the order of services and operations, each with a name of its own.
std::vector<Checker> grouped(std::vector<Checker> all);

}  // namespace retrial::checkers

#pragma once
#include <sys/types.h>

#include <cstdint>

namespace retrial::campaign {

// Does `root`, or a process that descends from it, listen at this TCP port, at any address of our network namespace?
// Of processes that we may not look into the answer is no.
bool listens_below(pid_t root, std::uint16_t port);

}  // namespace retrial::campaign

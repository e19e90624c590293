#pragma once
#include <cstddef>

namespace retrial {

// The limit of open files, RLIMIT_NOFILE of getrlimit(2). Its soft half is 1024 on most systems for the sake of
// select(2), which nothing here calls; a proxy holds two descriptors a connection.

// Raises the soft limit of this process to the hard one; where that is refused it stays. Before there are threads.
void raise_descriptor_limit();

// The soft limit, as it is now.
std::size_t descriptor_limit();

// Puts the soft limit back to what it was before the first raise_descriptor_limit(): for a forked process that is about
// to execute a program of the user's. Nothing where it was never raised. Async-signal-safe.
void restore_descriptor_limit();

}  // namespace retrial

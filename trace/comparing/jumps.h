#pragma once
#include "trace/run.h"

namespace retrial::trace {

// By how much the client's clock was moved on in [from, to), client time: what a client waited for there, the machine's
// load left out. 0 in a run whose clock could not be moved.
Nanos waited(const Run& run, Nanos from, Nanos to);
// In the whole run: how far the client's clock is ahead of the wall's at its end.
Nanos jumped(const Run& run);

}  // namespace retrial::trace

#pragma once
#include "trace/run.h"

namespace retrial::oracles {

// Is it an error by which a runtime or a parser says that the program itself went wrong: a value that is not there, of
// another type or out of range, or a text that is not what it was taken for? It names no failure of a service, whatever
// its own text says. Told by its type; where a runtime uses one type for other things too (Node's TypeError of a failed
// fetch), by type and text.
bool is_programming_error(const trace::Thrown& thrown);

}  // namespace retrial::oracles

#pragma once
#include <string>

#include "oracles/oracle.h"

namespace retrial::oracles {

// Which later write says that something was done in the very words that it has without the fault, but lacks what the
// answer to this call, which was given up, tells else: ", and PUT /orders/{id} then says "confirmed" without the "id"
// that its answer tells else". `beside` is that call without the fault. Empty: none.
std::string said_without(const trace::Comparison& c, const trace::Call& call, const trace::Call& beside);

}  // namespace retrial::oracles

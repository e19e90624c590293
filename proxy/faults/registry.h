#pragma once
#include "proxy/faults/fault.h"

namespace retrial::proxy {

// Null for FaultName::none and for faults of a connection, which no exchange has. Static storage.
const Fault* fault_named(trace::FaultName name);

}  // namespace retrial::proxy

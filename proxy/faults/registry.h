#pragma once
#include "proxy/faults/fault.h"

namespace retrial::proxy {

// Null for FaultName::none. Static storage.
const Fault* fault_named(trace::FaultName name);

}  // namespace retrial::proxy

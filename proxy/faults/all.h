#pragma once
#include "proxy/faults/fault.h"

namespace retrial::proxy {

// One function a fault, each in the file of its name; registry.cc lists them.
const Fault& error_fault();
const Fault& lost_response_fault();
const Fault& reset_fault();
const Fault& close_fault();
const Fault& delay_fault();
const Fault& stall_fault();

}  // namespace retrial::proxy

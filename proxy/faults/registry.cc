#include "proxy/faults/registry.h"

#include "trace/fault_name.h"

namespace retrial::proxy {

// Each in the file of its fault.
#define FAULT(fault, ...) const Fault& fault##_fault();
#include "trace/faults.inc"

const Fault* fault_named(trace::FaultName name) {
  switch (name) {
#define FAULT(fault, ...)       \
  case trace::FaultName::fault: \
    return &fault##_fault();
#include "trace/faults.inc"
    default:
      return nullptr;
  }
}

}  // namespace retrial::proxy

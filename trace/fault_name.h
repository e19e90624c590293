#pragma once
#include <cstdint>

#include "trace/fault_spec.h"

namespace retrial::trace {

// The faults by name, from their one table. For those alone who name one: whoever asks what a fault does, or passes it
// on, needs no more than trace/fault_spec.h, and is not built again for a new one.
enum class FaultName : std::uint8_t {
#define NO_FAULT(name, number, ...) name = number,
#define FAULT(name, number, ...) name = number,
#define CONNECTION_FAULT(name, number, ...) name = number,
#include "trace/faults.inc"
};

}  // namespace retrial::trace

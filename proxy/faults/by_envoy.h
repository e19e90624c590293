#pragma once
#include <string_view>

#include "trace/fault_spec.h"

namespace retrial::proxy {

// Why a fault cannot be carried out by an Envoy that asks us (ext_proc) what to do: it answers, waits, and changes the
// heads of responses, and that is all. Of any fault, also of a connection. Empty: it can.
std::string_view beyond_envoy(const trace::FaultSpec& fault);

}  // namespace retrial::proxy

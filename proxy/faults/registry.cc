#include "proxy/faults/registry.h"

#include "proxy/faults/all.h"

namespace retrial::proxy {

const Fault* fault_named(trace::FaultName name) {
  struct Row {
    trace::FaultName name;
    const Fault& (*fault)();
  };
  static constexpr Row kFaults[] = {
      {trace::FaultName::error, error_fault}, {trace::FaultName::lost_response, lost_response_fault},
      {trace::FaultName::reset, reset_fault}, {trace::FaultName::close, close_fault},
      {trace::FaultName::delay, delay_fault}, {trace::FaultName::stall, stall_fault},
  };
  for (auto& row : kFaults)
    if (row.name == name) return &row.fault();
  return nullptr;
}

}  // namespace retrial::proxy

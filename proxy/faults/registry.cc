#include "proxy/faults/registry.h"

#include "proxy/faults/all.h"

namespace retrial::proxy {

const Fault* fault_named(trace::FaultName name) {
  struct Row {
    trace::FaultName name;
    const Fault& (*fault)();
  };
  static constexpr Row kFaults[] = {
      {trace::FaultName::error, error_fault},
      {trace::FaultName::lost_response, lost_response_fault},
      {trace::FaultName::reset, reset_fault},
      {trace::FaultName::close, close_fault},
      {trace::FaultName::delay, delay_fault},
      {trace::FaultName::stall, stall_fault},
      {trace::FaultName::bandwidth, bandwidth_fault},
      {trace::FaultName::drip, drip_fault},
      {trace::FaultName::truncate, truncate_fault},
      {trace::FaultName::corrupt, corrupt_fault},
      {trace::FaultName::wrong_length, wrong_length_fault},
      {trace::FaultName::drop_header, header_fault},
      {trace::FaultName::set_header, header_fault},
      {trace::FaultName::double_header, header_fault},
      {trace::FaultName::malformed, malformed_fault},
      {trace::FaultName::redirect_loop, redirect_loop_fault},
      {trace::FaultName::stale, stale_fault},
      {trace::FaultName::duplicate, duplicate_fault},
      {trace::FaultName::rst_stream, rst_stream_fault},
      {trace::FaultName::goaway, goaway_fault},
      {trace::FaultName::late_status, late_status_fault},
      {trace::FaultName::message, message_fault},
      {trace::FaultName::slow_trailers, slow_trailers_fault},
  };
  for (auto& row : kFaults)
    if (row.name == name) return &row.fault();
  return nullptr;
}

}  // namespace retrial::proxy

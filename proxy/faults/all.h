#pragma once
#include "proxy/faults/fault.h"

namespace retrial::proxy {

// One function a fault; registry.cc lists them.
const Fault& error_fault();
const Fault& lost_response_fault();
const Fault& reset_fault();
const Fault& close_fault();
const Fault& delay_fault();
const Fault& stall_fault();
const Fault& bandwidth_fault();
const Fault& redirect_loop_fault();
const Fault& rst_stream_fault();
const Fault& goaway_fault();
const Fault& drip_fault();  // and from here on: response.cc
const Fault& truncate_fault();
const Fault& corrupt_fault();
const Fault& wrong_length_fault();
const Fault& header_fault();
const Fault& malformed_fault();
const Fault& stale_fault();
const Fault& duplicate_fault();
const Fault& late_status_fault();
const Fault& message_fault();
const Fault& slow_trailers_fault();

}  // namespace retrial::proxy

#pragma once
#include <memory>
#include <string>

#include "proxy/faults/edit.h"

namespace retrial::proxy {

// Each in the file of its fault. `fault` and `earlier` must outlive what is made.
std::unique_ptr<Edit> cut_edit(const trace::FaultSpec& fault);  // reset, close, stall, rst-stream
std::unique_ptr<Edit> drip_edit(const trace::FaultSpec& fault);
std::unique_ptr<Edit> truncate_edit(const trace::FaultSpec& fault);
std::unique_ptr<Edit> corrupt_edit(const trace::FaultSpec& fault);
std::unique_ptr<Edit> wrong_length_edit(const trace::FaultSpec& fault);
std::unique_ptr<Edit> header_edit(const trace::FaultSpec& fault);  // drop, set, double
std::unique_ptr<Edit> malformed_edit(const trace::FaultSpec& fault);
std::unique_ptr<Edit> duplicate_edit();
std::unique_ptr<Edit> late_status_edit(const trace::FaultSpec& fault);
std::unique_ptr<Edit> message_edit(const trace::FaultSpec& fault);
std::unique_ptr<Edit> slow_trailers_edit(const trace::FaultSpec& fault);
std::unique_ptr<Edit> stale_edit(std::string earlier);  // a whole response; empty: none was kept

}  // namespace retrial::proxy

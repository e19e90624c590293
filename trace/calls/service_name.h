#pragma once
#include <string>
#include <string_view>

namespace retrial::trace {

// The name by which a service is known from run to run: its address, but for a port that the kernel picked (a service
// that a test starts for itself listens elsewhere every time): "127.0.0.1:34567" -> "127.0.0.1:*".
std::string service_name(std::string_view address);

}  // namespace retrial::trace

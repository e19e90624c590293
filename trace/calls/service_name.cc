#include "trace/calls/service_name.h"

#include "base/text.h"

namespace retrial::trace {

// Linux's default range of ephemeral ports starts here (ip_local_port_range), and well-known services stay below it.
constexpr std::int64_t kFirstEphemeral = 32768;

std::string service_name(std::string_view address) {
  auto colon = address.rfind(':');
  if (colon == address.npos) return std::string(address);
  auto port = to_int(address.substr(colon + 1));
  if (!port || *port < kFirstEphemeral) return std::string(address);
  return std::string(address.substr(0, colon)) + ":*";
}

}  // namespace retrial::trace

#include "proxy/faults/by_envoy.h"

#include "base/text.h"
#include "trace/fault_name.h"

namespace retrial::proxy {
namespace {
// Is it a field by which a message is framed, or that is of one connection?
bool frames(std::string_view header) {
  auto name = header.substr(0, header.find(": "));
  for (std::string_view one : {"content-length", "transfer-encoding", "connection", "upgrade", "host"})
    if (iequals(name, one)) return true;
  return false;
}
}  // namespace

std::string_view beyond_envoy(const trace::FaultSpec& fault) {
  using enum trace::FaultName;
  switch (fault.name) {
    case none:
    case error:
    case delay:
      return {};
    case drop_header:
    case set_header:
    case double_header:
      return frames(fault.header) ? "an Envoy frames what it passes on by itself" : std::string_view();
    case lost_response:
      if (fault.telling == trace::Telling::error) return {};
      return "an Envoy tells of a lost response by a status alone: lost-response(error(503))";
    case stall:
      return "an Envoy that is not answered answers 504 itself: use delay(TIME)";
    case reset:
    case close:
    case rst_stream:
    case goaway:
      return "an Envoy that asks what to do breaks no connection and no stream";
    case truncate:
    case corrupt:
    case wrong_length:
    case duplicate:
    case grow:
    case another_page:
    case lengthen:
    case stale:
    case malformed:
    case message:
    case late_status:
      return "an Envoy passes on the body that the service has sent, as it is";
    case bandwidth:
    case drip:
    case slow_trailers:
      return "an Envoy passes on what the service has sent at its own pace";
    case crash:
      return "an Envoy tells nothing of the process that has sent a request";
    case redirect_loop:
      return "an Envoy passes on the status that the service has sent";
    default:
      return "an Envoy makes the connections itself";
  }
}

}  // namespace retrial::proxy

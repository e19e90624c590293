#pragma once
#include <cstdint>
#include <string>

namespace retrial::proxy {

// RFC 9113 7.
enum class H2Error : std::uint32_t {
  no_error,
  protocol_error,
  internal_error,
  flow_control_error,
  settings_timeout,
  stream_closed,
  frame_size_error,
  refused_stream,
  cancel,
  compression_error,
  connect_error,
  enhance_your_calm,
  inadequate_security,
  http_1_1_required,
};
constexpr std::uint32_t code_of(H2Error error) { return static_cast<std::uint32_t>(error); }
std::string show_h2_error(std::uint32_t code);  // "REFUSED_STREAM", or "error 0x1f"

}  // namespace retrial::proxy

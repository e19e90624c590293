#include "proxy/codec/h2_frames.h"

#include <fmt/format.h>

namespace retrial::proxy {
namespace {

enum Id : std::uint16_t {
  header_table_size = kH2HeaderTableSize,
  enable_push,
  max_streams,
  initial_window,
  max_frame,
  max_header_list,
  connect_protocol = 8,
};

}  // namespace

std::string show_h2_error(std::uint32_t code) {
  static constexpr std::string_view kNames[] = {
      "NO_ERROR",
      "PROTOCOL_ERROR",
      "INTERNAL_ERROR",
      "FLOW_CONTROL_ERROR",
      "SETTINGS_TIMEOUT",
      "STREAM_CLOSED",
      "FRAME_SIZE_ERROR",
      "REFUSED_STREAM",
      "CANCEL",
      "COMPRESSION_ERROR",
      "CONNECT_ERROR",
      "ENHANCE_YOUR_CALM",
      "INADEQUATE_SECURITY",
      "HTTP_1_1_REQUIRED",
  };
  return code < std::size(kNames) ? std::string(kNames[code]) : fmt::format("error {:#x}", code);
}

void h2_append(std::string& out, H2Type type, std::uint8_t flags, std::uint32_t stream, std::string_view payload) {
  char head[kH2FrameHead];
  h2_put_frame(head, payload.size(), type, flags, stream);
  out.append(head, sizeof head).append(payload);
}

void h2_append(std::string& out, H2Type type, std::uint32_t stream, std::uint32_t number) {
  char frame[kH2FrameHead + 4];
  h2_put_frame(frame, 4, type, 0, stream);
  h2_put_number(frame + kH2FrameHead, number);
  out.append(frame, sizeof frame);
}

void h2_append_goaway(std::string& out, std::uint32_t last, std::uint32_t code, std::string_view debug) {
  char frame[kH2FrameHead + 8];
  h2_put_frame(frame, 8 + debug.size(), H2Type::goaway, 0, 0);
  h2_put_number(frame + kH2FrameHead, last);
  h2_put_number(frame + kH2FrameHead + 4, code);
  out.append(frame, sizeof frame).append(debug);
}

bool h2_append_settings(std::string& out, H2Codec::Role role, const H2Settings& said, const H2Settings& ours,
                        bool preface) {
  char payload[7 * 6];
  char* at = payload;
  auto say = [&](Id id, std::uint32_t was, std::uint32_t is, bool anyway = false) {
    if (was == is && !anyway) return;
    at[0] = 0;
    at[1] = static_cast<char>(id);
    h2_put_number(at + 2, is);
    at += 6;
  };
  say(header_table_size, said.header_table_size, ours.header_table_size);
  if (role == H2Codec::Role::client && preface) say(enable_push, 1, 0);
  say(max_streams, said.max_streams, ours.max_streams);
  say(initial_window, said.initial_window, ours.initial_window);
  say(max_frame, said.max_frame, ours.max_frame);
  say(max_header_list, said.max_header_list, ours.max_header_list);
  if (role == H2Codec::Role::server) say(connect_protocol, said.connect_protocol, ours.connect_protocol);
  if (at == payload && !preface) return false;
  h2_append(out, H2Type::settings, 0, 0, {payload, at});
  return true;
}

H2Error h2_set(H2Settings& settings, std::uint16_t id, std::uint32_t value, H2Codec::Role role) {
  switch (id) {
    case header_table_size:
      settings.header_table_size = value;
      break;
    case enable_push:
      if (value > 1 || (value == 1 && role == H2Codec::Role::client)) return H2Error::protocol_error;
      settings.enable_push = value == 1;
      break;
    case max_streams:
      settings.max_streams = value;
      break;
    case initial_window:
      if (value > kH2LargestWindow) return H2Error::flow_control_error;
      settings.initial_window = value;
      break;
    case max_frame:
      if (value < kH2SmallestFrame || value > kH2LargestFrame) return H2Error::protocol_error;
      settings.max_frame = value;
      break;
    case max_header_list:
      settings.max_header_list = value;
      break;
    case connect_protocol:  // once said it stands (RFC 8441 3)
      if (value > 1 || (value == 0 && settings.connect_protocol)) return H2Error::protocol_error;
      settings.connect_protocol = value == 1;
      break;
    default:
      break;
  }
  return H2Error::no_error;
}

}  // namespace retrial::proxy

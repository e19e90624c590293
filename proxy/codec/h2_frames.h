#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "proxy/codec/h2.h"

namespace retrial::proxy {

// Frames as bytes (RFC 9113 4, 6): no state, no judgement.
enum class H2Type : std::uint8_t {
  data,
  headers,
  priority,
  rst_stream,
  settings,
  push_promise,
  ping,
  goaway,
  window_update,
  continuation,
};
namespace h2_flag {
inline constexpr std::uint8_t end_stream = 0x1, ack = 0x1, end_headers = 0x4, padded = 0x8, priority = 0x20;
}
inline constexpr std::size_t kH2FrameHead = 9;
inline constexpr std::uint32_t kH2LargestWindow = 0x7fffffff;
inline constexpr std::uint32_t kH2LargestFrame = 0xffffff;
inline constexpr std::uint32_t kH2SmallestFrame = 16384;

inline constexpr std::uint16_t kH2HeaderTableSize = 1;  // the setting's number

struct H2Frame {
  std::uint32_t length = 0;
  std::uint8_t type = 0;
  std::uint8_t flags = 0;
  std::uint32_t stream = 0;
  bool is(H2Type t) const { return type == static_cast<std::uint8_t>(t); }
  bool has(std::uint8_t flag) const { return (flags & flag) != 0; }
};

inline std::uint32_t h2_number(const char* at) {  // 4 bytes, network order
  auto b = [at](int i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(at[i])); };
  return b(0) << 24 | b(1) << 16 | b(2) << 8 | b(3);
}
inline std::uint32_t h2_number(std::string_view payload, std::size_t at) { return h2_number(&payload[at]); }
inline H2Frame h2_frame(const char* at) {
  H2Frame f;
  auto first = h2_number(at);
  f.length = first >> 8;
  f.type = static_cast<std::uint8_t>(first);
  f.flags = static_cast<std::uint8_t>(at[4]);
  f.stream = h2_number(at + 5) & 0x7fffffff;
  return f;
}

inline void h2_put_number(char* at, std::uint32_t n) {
  at[0] = static_cast<char>(n >> 24);
  at[1] = static_cast<char>(n >> 16);
  at[2] = static_cast<char>(n >> 8);
  at[3] = static_cast<char>(n);
}
inline void h2_put_frame(char* at, std::size_t length, H2Type type, std::uint8_t flags, std::uint32_t stream) {
  h2_put_number(at, static_cast<std::uint32_t>(length) << 8 | static_cast<std::uint8_t>(type));
  at[4] = static_cast<char>(flags);
  h2_put_number(at + 5, stream);
}

void h2_append(std::string& out, H2Type type, std::uint8_t flags, std::uint32_t stream, std::string_view payload);
// RST_STREAM and WINDOW_UPDATE: one number.
void h2_append(std::string& out, H2Type type, std::uint32_t stream, std::uint32_t number);
void h2_append_goaway(std::string& out, std::uint32_t last, std::uint32_t code, std::string_view debug);
// The settings that differ from those that the peer has from us. False: none do, and nothing was appended, unless
// `anyway`. A server says nothing of ENABLE_PUSH; a client always does in its preface.
bool h2_append_settings(std::string& out, H2Codec::Role role, const H2Settings& said, const H2Settings& ours,
                        bool preface);

// What one setting of the peer's does to `settings`; `role` is ours. Not no_error: it must not say that.
H2Error h2_set(H2Settings& settings, std::uint16_t id, std::uint32_t value, H2Codec::Role role);

}  // namespace retrial::proxy

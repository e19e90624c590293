#include "proxy/codec/websocket.h"

#include <gtest/gtest.h>

#include <string>

namespace retrial::proxy {
namespace {

// RFC 6455 5.2: a frame with a payload of that many bytes.
std::string frame(std::size_t size, bool masked, int bytes_of_length = 0) {
  std::string out = "\x82";
  auto first = size < 126 && bytes_of_length == 0 ? size : size < 65536 && bytes_of_length != 8 ? 126 : 127;
  out += static_cast<char>(first | (masked ? 0x80 : 0));
  for (int i = first < 126 ? 0 : first == 126 ? 2 : 8; i > 0; i--) out += static_cast<char>(size >> (8 * (i - 1)));
  if (masked) out += "\x81\x82\x83\x84";
  return out + std::string(size, '\x81');
}
std::uint64_t count(std::string_view bytes, std::size_t piece) {
  FrameCounter counter;
  for (std::size_t from = 0; from < bytes.size(); from += piece) counter.take(bytes.substr(from, piece));
  return counter.frames();
}

TEST(WebSocket, frames_of_every_size_are_counted_however_they_come) {
  std::string bytes;
  std::uint64_t frames = 0;
  for (bool masked : {false, true})
    for (std::size_t size : {0, 1, 2, 125, 126, 127, 300}) {
      bytes += frame(size, masked);
      frames++;
    }
  bytes += frame(5, true, 2) + frame(5, false, 8) + frame(0, true, 8) + frame(0, false, 2) + frame(0, false);
  frames += 5;
  for (std::size_t piece = 1; piece <= bytes.size(); piece++) EXPECT_EQ(count(bytes, piece), frames) << piece;
}
TEST(WebSocket, long_payloads_hold_no_frames) {
  EXPECT_EQ(count(frame(70000, true) + frame(65535, false) + frame(1, false), 1000), 3u);
}
TEST(WebSocket, a_frame_counts_from_its_first_byte) {
  EXPECT_EQ(count("", 1), 0u);
  EXPECT_EQ(count("\x81", 1), 1u);
  EXPECT_EQ(count(frame(200, true).substr(0, 100), 7), 1u);
}

}  // namespace
}  // namespace retrial::proxy

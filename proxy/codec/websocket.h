#pragma once
#include <cstdint>
#include <string_view>

namespace retrial::proxy {

// "Going away" (1001, RFC 6455 7.4.1) as a whole Close frame: a client's is masked (5.3).
inline constexpr std::string_view kGoingAway{"\x88\x02\x03\xe9", 4};
inline constexpr std::string_view kGoingAwayMasked{"\x88\x82\0\0\0\0\x03\xe9", 8};

// Counts the frames of one direction of a WebSocket (RFC 6455 5.2) as they pass. Pure; touches nothing.
class FrameCounter {
 public:
  void take(std::string_view bytes);
  std::uint64_t frames() const { return frames_; }   // begun so far
  bool between() const { return at_ == At::first; }  // one frame has ended, and no other has begun

 private:
  std::uint64_t frames_ = 0;
  std::uint64_t skip_ = 0;    // bytes of mask and payload to come
  std::uint64_t length_ = 0;  // as far as its bytes have come
  int expected_ = 0;          // bytes of the extended length to come
  enum class At : std::uint8_t { first, second, length, rest } at_ = At::first;
  bool masked_ = false;
};

}  // namespace retrial::proxy

#include "proxy/codec/websocket.h"

#include <algorithm>

namespace retrial::proxy {

void FrameCounter::take(std::string_view bytes) {
  while (!bytes.empty()) {
    if (at_ == At::rest) {
      auto some = std::min<std::uint64_t>(skip_, bytes.size());
      bytes.remove_prefix(some);
      skip_ -= some;
      if (skip_ == 0) at_ = At::first;
      continue;
    }
    auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    switch (at_) {
      case At::first:
        frames_++;
        at_ = At::second;
        continue;
      case At::second:
        masked_ = byte & 0x80;
        length_ = byte & 0x7f;
        expected_ = length_ == 126 ? 2 : length_ == 127 ? 8 : 0;
        if (expected_) length_ = 0;
        at_ = At::length;
        break;
      case At::length:
        length_ = length_ << 8 | byte;
        expected_--;
        break;
      case At::rest:
        break;
    }
    if (expected_ > 0) continue;
    skip_ = length_ + (masked_ ? 4 : 0);
    at_ = skip_ ? At::rest : At::first;
  }
}

}  // namespace retrial::proxy

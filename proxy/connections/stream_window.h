#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "proxy/exchange/options.h"

namespace retrial::proxy {

// How far the senders of one HTTP/2 connection may be ahead of whoever reads their streams. Each has a narrow window at
// first, and a wide one (Options::buffer_limit) once bytes of its stream are seen to go on, for as long as there are
// shares left for that. So streams that nobody reads hold little, however many they are, and stop no other.
class StreamWindows {
 public:
  static constexpr std::size_t kNarrow = 16u << 10;
  static constexpr std::size_t kShares = 16u << 20;  // bytes, of all streams together

  explicit StreamWindows(const Options& options)
      : wide_(std::min<std::size_t>(options.buffer_limit, 0x7fffffff)),  // RFC 9113 6.9.1
        left_(std::max(kShares, wide_)) {}
  std::uint32_t narrow() const { return static_cast<std::uint32_t>(std::min(wide_, kNarrow)); }

 private:
  friend class StreamWindow;
  std::size_t share() const { return wide_ - narrow(); }
  std::size_t wide_, left_;
};

// That of one stream. Its share goes back with its exchange, which may hold bytes for longer than the stream is open.
class StreamWindow {
 public:
  // So many bytes have gone on. How much wider it is from now on.
  std::uint32_t goes_on(std::size_t bytes, StreamWindows& all) {
    gone_on_ += bytes;
    if (share_ != 0 || gone_on_ < all.narrow() / 2 || all.left_ < all.share()) return 0;
    share_ = all.share();
    all.left_ -= share_;
    return static_cast<std::uint32_t>(share_);
  }
  bool wide() const { return share_ != 0; }
  void end(StreamWindows& all) {
    all.left_ += share_;
    gone_on_ = share_ = 0;
  }

 private:
  std::size_t gone_on_ = 0, share_ = 0;
};

}  // namespace retrial::proxy

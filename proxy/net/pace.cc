#include "proxy/net/pace.h"

#include <algorithm>
#include <cmath>

namespace retrial::proxy {

Pace::Pace(std::uint64_t bytes_per_second, std::uint64_t burst, Nanos now)
    : rate_(static_cast<double>(bytes_per_second) / kSecond),
      burst_(static_cast<double>(std::max<std::uint64_t>(burst, 1))),
      tokens_(burst_),
      counted_(now) {}

Pace Pace::drip(std::uint64_t bytes, Nanos every, Nanos now) {
  Pace pace(bytes, bytes, now);
  pace.every_ = std::max<Nanos>(every, 1);
  return pace;
}

std::uint64_t Pace::may(Nanos now) {
  if (every_ != 0) {
    counted_ = now;
    if (now >= next_) tokens_ = burst_;
    return static_cast<std::uint64_t>(tokens_);
  }
  tokens_ = std::min(burst_, tokens_ + rate_ * static_cast<double>(now - counted_));
  counted_ = now;
  return static_cast<std::uint64_t>(std::max(tokens_, 0.0));
}

void Pace::spend(std::uint64_t bytes) {
  if (bytes > 0 && counted_ >= next_) next_ = counted_ + every_;
  tokens_ -= static_cast<double>(bytes);
}

Nanos Pace::wait(std::uint64_t bytes) const {
  if (every_ != 0) return std::max<Nanos>(0, next_ - counted_);
  double step = std::max(1.0, std::min(burst_, rate_ * (kSecond / 100)));
  double missing = std::min(static_cast<double>(bytes), step) - tokens_;
  return missing <= 0 ? 0 : static_cast<Nanos>(std::ceil(missing / rate_));
}

}  // namespace retrial::proxy

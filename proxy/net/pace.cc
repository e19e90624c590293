#include "proxy/net/pace.h"

#include <algorithm>
#include <cmath>

namespace retrial::proxy {

Pace::Pace(std::uint64_t bytes_per_second, std::uint64_t burst, Nanos now)
    : rate_(static_cast<double>(bytes_per_second) / kSecond),
      burst_(static_cast<double>(std::max<std::uint64_t>(burst, 1))),
      tokens_(burst_),
      counted_(now) {}

std::uint64_t Pace::may(Nanos now) {
  tokens_ = std::min(burst_, tokens_ + rate_ * static_cast<double>(now - counted_));
  counted_ = now;
  return static_cast<std::uint64_t>(std::max(tokens_, 0.0));
}

void Pace::spend(std::uint64_t bytes) { tokens_ -= static_cast<double>(bytes); }

Nanos Pace::wait(std::uint64_t bytes) const {
  double step = std::max(1.0, std::min(burst_, rate_ * (kSecond / 100)));
  double missing = std::min(static_cast<double>(bytes), step) - tokens_;
  return missing <= 0 ? 0 : static_cast<Nanos>(std::ceil(missing / rate_));
}

}  // namespace retrial::proxy

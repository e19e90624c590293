#pragma once
#include <algorithm>

#include "base/clock.h"

namespace retrial::proxy {

// So many at once, so many a second after that. The clock is looked at only when they are spent.
class H2Rate {
 public:
  H2Rate(std::int64_t burst, std::int64_t a_second) : burst_(burst), a_second_(a_second), left_(burst) {}

  bool take(Nanos now) {
    if (left_ == 0 && !refill(now)) return false;
    left_--;
    return true;
  }
  void give(std::int64_t n) { left_ = std::min(left_ + n, burst_); }
  void start(Nanos now) { since_ = now; }

 private:
  bool refill(Nanos now) {
    auto one = kSecond / a_second_;
    auto more = std::max<Nanos>(now - since_, 0) / one;
    since_ = more >= burst_ ? now : since_ + more * one;
    left_ = std::min(more, burst_);
    return left_ > 0;
  }

  std::int64_t burst_, a_second_, left_;
  Nanos since_ = 0;
};

}  // namespace retrial::proxy

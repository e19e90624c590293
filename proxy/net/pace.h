#pragma once
#include <cstdint>

#include "base/clock.h"

namespace retrial::proxy {

// How many bytes may leave at a moment: by a token bucket, or some in each stretch of time. Pure.
class Pace {
 public:
  // Full at first. A burst below one byte is one.
  Pace(std::uint64_t bytes_per_second, std::uint64_t burst, Nanos now);
  static Pace drip(std::uint64_t bytes, Nanos every, Nanos now);  // at most so many in that long
  std::uint64_t may(Nanos now);                                   // whole bytes, at most the burst
  void spend(std::uint64_t bytes);
  // From the last may() on, until `bytes` may leave, or as many as make a fair step where that is fewer: a hundredth of
  // a second's, at most the burst, at least one.
  Nanos wait(std::uint64_t bytes) const;

 private:
  double rate_, burst_, tokens_;  // bytes a nanosecond, bytes, bytes
  Nanos counted_;
  Nanos every_ = 0, next_ = 0;  // of a drip: the pause, and when it is over
};

}  // namespace retrial::proxy

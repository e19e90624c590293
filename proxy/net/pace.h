#pragma once
#include <cstdint>

#include "base/clock.h"

namespace retrial::proxy {

// A token bucket: how many bytes may leave at a moment. Pure.
class Pace {
 public:
  // Full at first. A burst below one byte is one.
  Pace(std::uint64_t bytes_per_second, std::uint64_t burst, Nanos now);
  std::uint64_t may(Nanos now);  // whole bytes, at most the burst
  void spend(std::uint64_t bytes);
  // From the last may() on, until `bytes` may leave, or as many as make a fair step where that is fewer: a hundredth of
  // a second's, at most the burst, at least one.
  Nanos wait(std::uint64_t bytes) const;

 private:
  double rate_, burst_, tokens_;  // bytes a nanosecond, bytes, bytes
  Nanos counted_;
};

}  // namespace retrial::proxy

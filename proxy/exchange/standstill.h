#pragma once
#include <cstddef>

#include "base/clock.h"

namespace retrial::proxy {

// Do bytes wait, and nothing of them goes on? Asked from time to time.
class Standstill {
 public:
  // For `limit` or longer; 0: for ever.
  bool lasts(Nanos now, std::size_t waiting, Nanos limit) {
    if (waiting == 0 || waiting != waiting_) {
      waiting_ = waiting;
      since_ = now;
    }
    return limit != 0 && now - since_ >= limit;
  }

 private:
  std::size_t waiting_ = 0;  // bytes, when it was asked before
  Nanos since_ = 0;          // that it was as many
};

}  // namespace retrial::proxy

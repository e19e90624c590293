#pragma once
#include <vector>

#include "base/clock.h"

namespace retrial::campaign::report {

// From time to a horizontal place. Linear where all that is drawn stays visible; else long stretches in which nothing
// begins or ends are drawn shorter, in order and monotonic, so that 300 us and 30 s can stand beside each other.
class TimeAxis {
 public:
  struct Span {
    Nanos from = 0;
    Nanos to = 0;
  };
  // `spans`: what must stay visible (exchanges and gaps). `width`: of the whole axis.
  TimeAxis(const std::vector<Span>& spans, double width);

  double x(Nanos time) const;
  bool compressed() const { return compressed_; }
  Nanos from() const { return times_.front(); }
  Nanos to() const { return times_.back(); }

  struct Tick {
    double x = 0;
    Nanos time = 0;  // since `from`
  };
  std::vector<Tick> ticks() const;

 private:
  std::vector<Nanos> times_;    // ascending; where something begins or ends
  std::vector<double> places_;  // of each
  bool compressed_ = false;
};

}  // namespace retrial::campaign::report

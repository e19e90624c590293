#pragma once
#include <cstdint>

namespace retrial {

using Nanos = std::int64_t;  // a point or a length of time, nanoseconds
inline constexpr Nanos kMillisecond = 1'000'000;
inline constexpr Nanos kSecond = 1'000'000'000;

// The only source of time for logic. `now` is monotonic with an arbitrary origin, never 0; `wall` is Unix time.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Nanos now() const = 0;
  virtual Nanos wall() const = 0;
};

class SystemClock final : public Clock {
 public:
  Nanos now() const override;
  Nanos wall() const override;
};

// Stands still until it is advanced. For tests.
class ManualClock final : public Clock {
 public:
  Nanos now() const override { return now_; }
  Nanos wall() const override { return now_ + 1'700'000'000 * kSecond; }
  void advance(Nanos by) { now_ += by; }

 private:
  Nanos now_ = kSecond;
};

}  // namespace retrial

#include "base/clock.h"

#include <ctime>

namespace retrial {
namespace {
Nanos read(clockid_t id) {
  timespec t{};
  clock_gettime(id, &t);
  return t.tv_sec * kSecond + t.tv_nsec;
}
}  // namespace

Nanos SystemClock::now() const { return read(CLOCK_MONOTONIC); }
Nanos SystemClock::wall() const { return read(CLOCK_REALTIME); }

}  // namespace retrial

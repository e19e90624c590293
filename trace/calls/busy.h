#pragma once
#include <algorithm>

#include "trace/exchange.h"

namespace retrial::trace {

// For how long the client's thread was busy between being told of one exchange and beginning another; 0 where that is
// not known: another thread's work says nothing of it.
inline Nanos busy_between(const Exchange& before, const Exchange& now) {
  auto &then = before.busy, &by_now = now.busy;
  if (!then.thread || then.thread != by_now.thread || before.pid != now.pid || !then.told) return 0;
  return std::clamp<Nanos>(by_now.begun - then.told, 0, std::max<Nanos>(0, now.begun - before.told));
}

// What of the time between them may have been a wait.
inline Nanos pause_between(const Exchange& before, const Exchange& now) {
  return now.begun - before.told - busy_between(before, now);
}

}  // namespace retrial::trace

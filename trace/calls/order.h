#pragma once
#include <tuple>

#include "trace/exchange.h"

namespace retrial::trace {

// The order in which a run's exchanges are read: by time. Numbers are given out by loops, each its own, and say nothing
// of it: of equal times what was sent decides, so that the same exchanges are read in one way however they are stored.
inline bool earlier(const Exchange& a, const Exchange& b) {
  auto key = [](const Exchange& e) {
    return std::tie(e.begun, e.told, e.request_read, e.pid, e.service, e.method, e.target, e.request_digest,
                    e.client_status, e.fired, e.connection, e.stream, e.id);
  };
  return key(a) < key(b);
}

}  // namespace retrial::trace

#include "proxy/exchange/house.h"

#include <algorithm>

#include "proxy/exchange/session.h"

namespace retrial::proxy {

House::House(Loop& l, const Clock& c, Director& d, Recorder& r, Options o)
    : loop(l), clock(c), director(d), recorder(r), options(o) {}
House::~House() = default;

void House::active(Nanos now) {
  if (last_activity != 0) longest_gap = std::max(longest_gap, now - last_activity);
  last_activity = now;
}

void House::ended(Session& session) {
  auto slot = session.slot;
  std::swap(sessions[slot], sessions.back());
  sessions[slot]->slot = slot;
  loop.later_delete(std::move(sessions.back()));
  sessions.pop_back();
}

}  // namespace retrial::proxy

#include "trace/hindsight.h"

#include <limits>

#include "trace/body_change.h"
#include "trace/profile.h"

namespace retrial::trace {

Key Hindsight::key_of(const Exchange& e) {
  auto content = content_key(e);
  return content ? mix(mix(10, place_key(e)), content) : 0;
}

Hindsight::Hindsight(const std::vector<const Exchange*>& by_time) {
  constexpr auto kNever = std::numeric_limits<Nanos>::max();
  for (auto* e : by_time) {
    auto& seen = seen_[mix(place_key(*e), content_key(*e))];
    if (e->begun < seen.until || (seen.success && e->begun >= seen.success)) seen.alone = false;
    seen.until = std::max(seen.until, e->told ? e->told : kNever);
    if (e->told && !seen.success && !told_failed(*e)) seen.success = e->told;
  }
}

bool Hindsight::alone(const Exchange& e) const {
  auto it = seen_.find(mix(place_key(e), content_key(e)));
  return it != seen_.end() && it->second.alone;
}

}  // namespace retrial::trace

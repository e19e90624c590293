#include "campaign/fleet/sightings.h"

#include <vector>

#include "base/text.h"
#include "proxy/out/span.h"
#include "trace/profiles/message.h"

namespace retrial::campaign {

std::optional<std::uint64_t> shared_key(const trace::Exchange& e) {
  std::uint64_t key = 0;
  if (auto parent = proxy::trace_parent_of(e))
    key = fnv1a(parent->span, fnv1a(parent->trace));
  else if (auto id = trace::find(e.request_headers, "x-request-id"); !id.empty())
    key = fnv1a(id);
  else
    return {};
  return fnv1a(trace::message::path_of(e.target), fnv1a(e.method, key));
}

void Sightings::take(std::uint32_t clock, const trace::Exchange& e) {
  if (e.answered == 0) return;
  auto key = shared_key(e);
  if (!key || !kept(*key)) return;
  all_.push_back({*key, clock, e.begun, e.answered});
  if (all_.size() <= most_) return;
  limit_ /= 2;
  std::erase_if(all_, [this](auto& one) { return !kept(one.key); });
}

}  // namespace retrial::campaign

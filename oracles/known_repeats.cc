#include "oracles/known_repeats.h"

#include <algorithm>

#include "oracles/repeat.h"
#include "trace/calls/service_name.h"

namespace retrial::oracles {
using Effects = Shown::Effects;

void KnownRepeats::add(const trace::Comparison& seen) {
  for (auto* call : seen.faulted) {
    auto effects = shown_in(seen, *call);
    if (effects == Effects::unknown) continue;
    auto& known = shown_[{trace::service_name(call->first().service), call->site, call->operation}];
    known = std::max(known, effects);
  }
}

bool KnownRepeats::refutes(const trace::Finding& f) const {
  if (f.verdict != "duplicate-effect" && f.verdict != "retries-non-idempotent") return false;
  auto it = shown_.find({trace::service_name(f.service), f.site ? trace::key_of(*f.site) : "", f.operation});
  return it != shown_.end() && it->second == Effects::one;
}

}  // namespace retrial::oracles

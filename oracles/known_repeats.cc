#include "oracles/known_repeats.h"

#include <fmt/format.h>

#include <algorithm>

#include "oracles/evidence.h"
#include "oracles/repeat.h"
#include "trace/calls/service_name.h"
#include "trace/status.h"

namespace retrial::oracles {
using Effects = Shown::Effects;

void KnownRepeats::add(const trace::Comparison& seen) {
  for (auto* call : seen.faulted) {
    auto& first = call->first();
    if (call->attempts.size() > 1 && first.fired && is_status(first.fault))
      again_[{trace::service_name(first.service), call->site, call->operation}].insert(first.client_status);
    for (std::size_t i = 0; i + 1 < call->attempts.size(); i++) {
      auto &before = *call->attempts[i], &next = *call->attempts[i + 1];
      if (trace::carried_out(before) && trace::carried_out(next) && tells_one_thing(before, next))
        alike_.insert({trace::service_name(first.service), call->site, call->operation});
    }
    auto effects = shown_in(seen, *call);
    if (effects == Effects::unknown) continue;
    auto& known = shown_[{trace::service_name(call->first().service), call->site, call->operation}];
    known = std::max(known, effects);
  }
}

std::string not_sent_again(int status) {
  return fmt::format("was answered {} and not sent again", trace::show_status(status));
}

bool KnownRepeats::refutes(const trace::Finding& f) const {
  Place place{trace::service_name(f.service), f.site ? trace::key_of(*f.site) : "", f.operation};
  if (f.verdict == "not-retried-transient") {
    auto it = again_.find(place);
    return it != again_.end() &&
           std::ranges::any_of(it->second, [&](int status) { return f.message.contains(not_sent_again(status)); });
  }
  if (f.verdict != "duplicate-effect" && f.verdict != "retries-non-idempotent") return false;
  auto it = shown_.find(place);
  return it != shown_.end() && it->second == Effects::one;
}

bool KnownRepeats::doubts(const trace::Finding& f) const {
  return f.verdict == "retries-non-idempotent" &&
         alike_.contains({trace::service_name(f.service), f.site ? trace::key_of(*f.site) : "", f.operation});
}

trace::Judged taken_back(const trace::Finding& f) {
  return {f.test,
          f.site,
          f.service,
          f.operation,
          f.policy,
          f.fault,
          fmt::format("{}: what the service did with the repeat does not show here; in another case it knew it again",
                      f.verdict)};
}

}  // namespace retrial::oracles

#include "campaign/planning/schedule.h"

#include <fmt/format.h>

#include <algorithm>

namespace retrial::campaign {
namespace {

std::string first_fault_of(const Case& c) { return trace::show(policies::fault_of(c.aim.plan, 1)); }
bool waits(const Case& c) { return c.policy->needs.attempts > 0; }

}  // namespace

Case* Schedule::next(Nanos time) {
  Case* best = nullptr;
  double best_score = 0;
  for (auto& c : cases_) {
    if (c.row.outcome != "planned") continue;
    auto cost = expected(c);
    if (cost > time) continue;
    if (best && waits(c) && !waits(*best)) continue;
    // Each further operation of one call site is less likely to bring something new (a path often holds data).
    auto before = given_out_.find(c.family_key());
    double score =
        c.value / (static_cast<double>(cost) / kSecond + 0.5) / (1 + (before == given_out_.end() ? 0 : before->second));
    bool waited_for = best && waits(*best) && !waits(c);
    if (!best || waited_for || score > best_score) best = &c, best_score = score;
  }
  if (best) given_out_[best->family_key()]++;
  return best;
}

const Schedule::Seen* Schedule::seen_under(const Case& c, const std::string& first_fault) const {
  auto it = seen_.find({c.target_key(), first_fault});
  return it == seen_.end() ? nullptr : &it->second;
}

// Where the policy that would show it is not tried at all, nothing is known, and every call is asked.
bool Schedule::may_be_shown(const policies::Policy& policy) const {
  return std::ranges::any_of(policies_, [&](auto* p) { return p->name == policy.needs.shown_by; });
}

std::string Schedule::answered(const Case& c) const {
  auto first = first_fault_of(c);
  auto* seen = seen_under(c, first);
  if (!seen) {
    if (!waits(c) || !may_be_shown(*c.policy)) return {};
    return fmt::format("it was not seen how many attempts this call makes under {}", first);
  }
  // Where a call makes one attempt under the same first fault, what would be done to later attempts is never asked.
  if (seen->attempts > std::max(1, c.policy->needs.attempts)) return {};
  return fmt::format(
      "under {} this call makes {} attempt{} (case {}): nothing more is sent that could be treated otherwise", first,
      seen->attempts, seen->attempts == 1 ? "" : "s", seen->in);
}

void Schedule::ran(const Case& c, int attempts, Nanos took) {
  auto& known = took_[c.cost_key()];
  known = known ? (known + took) / 2 : took;
  if (!attempts) return;
  auto& seen = seen_[{c.target_key(), first_fault_of(c)}];
  if (attempts > seen.attempts) seen = {attempts, c.row.id};
}

Nanos Schedule::expected(const Case& c) const {
  auto it = took_.find(c.cost_key());
  return it == took_.end() ? c.expected : it->second;
}

Nanos Schedule::expected_of_all() const {
  Nanos all = 0;
  for (auto& c : cases_)
    if (c.row.outcome == "planned") all += expected(c);
  return all;
}

}  // namespace retrial::campaign

#include "campaign/planning/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace retrial::campaign {
namespace {

std::string first_fault_of(const Case& c) { return trace::show(policies::fault_of(c.faults, 1)); }
std::string shown_under(const Case& c) {
  auto* other = policies::policy_named(c.policy->needs.shown_by);
  return other ? trace::show(policies::fault_of(policies::first_plan(*other), 1)) : first_fault_of(c);
}
bool open(const Case& c) { return c.planned() || c.under_way; }
bool waits(const Case& c) { return c.policy->needs.attempts > 0; }

}  // namespace

bool Schedule::only_further() const {
  return std::ranges::none_of(cases_, [](auto& c) { return open(c) && !c.further; });
}

std::vector<Case*> Schedule::next() const {
  bool further = only_further();
  bool others = std::ranges::any_of(cases_, [&](auto& c) { return open(c) && !waits(c) && (further || !c.further); });
  std::map<std::string, int> run;  // by family
  std::set<std::pair<std::string, std::string>> asked;
  for (auto& c : cases_)
    if (c.under_way) asked.emplace(c.call_key(), first_fault_of(c));
  struct Candidate {
    Case* c;
    double score;  // as first of its family
    int* before;
    double worth() const { return score / (1 + *before); }
  };
  // The most worth first, equals in the order of the plan. Each further operation of one call site is less likely to
  // bring something new (a path often holds data): who is taken lowers those of its family, which then stand back.
  std::map<std::pair<double, Case*>, Candidate> queue;
  std::vector<Candidate> candidates;
  for (auto& c : cases_) {
    auto& before = run[c.family_key()];
    if (!c.planned() || c.under_way)
      before++;
    else if ((!others || !waits(c)) && (further || !c.further))
      candidates.push_back({&c, c.value / (static_cast<double>(c.expected()) / kSecond + 0.5), &before});
  }
  for (auto& k : candidates) queue.emplace(std::pair(-k.worth(), k.c), k);
  std::vector<Case*> out;
  while (!queue.empty()) {
    auto k = queue.extract(queue.begin());
    if (auto worth = k.mapped().worth(); worth < -k.key().first) {
      k.key().first = -worth;
      queue.insert(std::move(k));
      continue;
    }
    auto& [c, score, before] = k.mapped();
    if (!asked.emplace(c->call_key(), first_fault_of(*c)).second) continue;
    ++*before;
    out.push_back(c);
  }
  return out;
}

const Schedule::Seen* Schedule::seen_under(const Case& c, const std::string& first_fault) const {
  auto it = seen_.find({c.call_key(), first_fault});
  return it == seen_.end() ? nullptr : &it->second;
}

// Where the policy that would show it is not tried at all, nothing is known, and every call is asked.
bool Schedule::may_be_shown(const policies::Policy& policy) const {
  return std::ranges::any_of(policies_, [&](auto* p) { return p->name == policy.needs.shown_by; });
}

std::string Schedule::answered(const Case& c) const {
  if (c.policy->of_deaths) return {};  // each of its moments is another question
  auto first = shown_under(c);
  auto* seen = seen_under(c, first);
  if (!seen) {
    if (!waits(c) || !may_be_shown(*c.policy)) return {};
    return fmt::format("it was not seen how many attempts this call makes under {}", first);
  }
  // Where a call makes one attempt under the same first fault, what would be done to later attempts is never asked.
  // What a case itself showed in a run that did not count answers nothing.
  if (seen->in == c.row.id || seen->attempts > std::max(1, c.policy->needs.attempts)) return {};
  return fmt::format(
      "under {} this call makes {} attempt{} (case {}): nothing more is sent that could be treated otherwise", first,
      seen->attempts, seen->attempts == 1 ? "" : "s", seen->in);
}

void Schedule::ran(const Case& c, int attempts) {
  if (!attempts) return;
  auto& seen = seen_[{c.call_key(), first_fault_of(c)}];
  if (attempts > seen.attempts) seen = {attempts, c.row.id};
}

}  // namespace retrial::campaign

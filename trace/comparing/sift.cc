#include "trace/comparing/sift.h"

#include <algorithm>
#include <set>
#include <utility>

#include "trace/profiles/profile.h"

namespace retrial::trace {
namespace {

bool went_wrong(const Exchange& e) { return e.fired || e.attempt > 1 || told_failed(e); }

Kind kind_of(const Exchange& e) {
  return {e.service, e.operation, e.tag.site ? show(*e.tag.site) : "", e.fired ? show(e.fault) : ""};
}

}  // namespace

void Sift::take(std::uint64_t run, Exchange&& e) {
  auto& part = parts_[run];
  part.taken++;
  if (!part.thin && (part.kept.size() == kWhole || held_ == kHeld)) {
    part.thin = true;
    held_ -= part.kept.size();
    for (auto& early : std::exchange(part.kept, {})) choose(part, std::move(early));
  }
  if (part.thin) return choose(part, std::move(e));
  part.kept.push_back(std::move(e));
  held_++;
}

// What becomes of a call is decided by the first of its exchanges that ends, and remembered where more may follow.
void Sift::choose(Part& part, Exchange&& e) {
  bool wrong = went_wrong(e);
  auto known = e.call ? part.calls.find(e.call) : part.calls.end();
  if (known == part.calls.end()) {
    std::pair key(kind_of(e), wrong);
    if (part.tallies.size() >= kKinds && !part.tallies.contains(key)) key.first = {};
    auto& tally = part.tallies[key];
    tally.seen++;
    bool keep = tally.kept < kAlike && part.chosen < (wrong ? kCalls : kCalls / 2);
    tally.kept += keep;
    part.chosen += keep;
    if (e.call && (keep || wrong)) known = part.calls.emplace(e.call, 0).first;
    if (!keep) return;
  } else if (known->second == 0 || known->second >= kAttempts) {
    return;
  }
  if (known != part.calls.end()) known->second++;
  part.kept.push_back(std::move(e));
}

void Sift::give(Run& run) {
  auto at = parts_.find(run.id);
  if (at == parts_.end()) return;
  auto& part = at->second;
  run.exchanges = std::move(part.kept);
  std::ranges::sort(run.exchanges, {}, &Exchange::id);
  if (!part.thin) return;
  part.calls.clear();
  // A call whose first attempt was left out before it was known that there are more would be told wrong.
  std::set<std::uint64_t> whole;
  for (auto& e : run.exchanges)
    if (e.attempt <= 1) whole.insert(e.call);
  std::erase_if(run.exchanges, [&](auto& e) { return !whole.contains(e.call); });
}

std::vector<Sift::Count> Sift::left_out(std::uint64_t run) const {
  std::vector<Count> out;
  auto at = parts_.find(run);
  if (at == parts_.end() || !at->second.thin) return out;
  for (auto& [key, tally] : at->second.tallies)
    if (tally.kept < tally.seen) out.push_back({key.first, tally.seen, tally.kept});
  return out;
}

std::uint64_t Sift::exchanges(std::uint64_t run) const {
  auto at = parts_.find(run);
  return at == parts_.end() ? 0 : at->second.taken;
}

}  // namespace retrial::trace

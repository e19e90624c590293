#include "trace/comparing/sift.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/fold.h"
#include "trace/profiles/profile.h"

namespace retrial::trace {
namespace {

bool went_wrong(const Exchange& e) { return e.fired || e.attempt > 1 || told_failed(e); }

}  // namespace

std::size_t Sift::Hash::operator()(const View& key) const {
  auto& [service, operation, site, fault, wrong] = key;
  Fold fold;
  for (auto text : {service, operation, site, fault}) fold.add(text);
  return fold.value() + wrong;
}

template <class E>
void Sift::add(std::uint64_t run, E&& e) {
  auto& part = parts_[run];
  part.taken++;
  if (!part.thin && (part.kept.size() == kWhole || held_ == kHeld)) {
    part.thin = true;
    held_ -= part.kept.size();
    for (auto& early : std::exchange(part.kept, {}))
      if (choose(part, early)) part.kept.push_back(std::move(early));
  }
  if (part.thin && !choose(part, e)) return;
  part.kept.push_back(std::forward<E>(e));
  held_ += !part.thin;
}
template void Sift::add(std::uint64_t run, Exchange&& e);
template void Sift::add(std::uint64_t run, const Exchange& e);

Sift::Tally& Sift::tally_of(Part& part, const Exchange& e, bool wrong) {
  auto site = e.tag.site ? key_of(*e.tag.site) : std::string();
  auto fault = e.fired ? show(e.fault) : std::string();
  auto at = part.tallies.find(View(e.service, e.operation, site, fault, wrong));
  if (at != part.tallies.end()) return at->second;
  std::pair key(Kind{e.service, e.operation, site, fault}, wrong);
  if (part.tallies.size() >= kKinds) key.first = {};
  return part.tallies[key];
}

// What becomes of a call is decided by the first of its exchanges that ends, and remembered where more may follow.
bool Sift::choose(Part& part, const Exchange& e) {
  auto known = e.call ? part.calls.find(e.call) : part.calls.end();
  if (known == part.calls.end()) {
    bool wrong = went_wrong(e);
    auto& tally = tally_of(part, e, wrong);
    tally.seen++;
    bool keep = tally.kept < kAlike && part.chosen < (wrong ? kCalls : kCalls / 2);
    tally.kept += keep;
    part.chosen += keep;
    if (part.calls.size() >= kKnown) std::erase_if(part.calls, [](auto& call) { return call.second == 0; });
    if (e.call && (keep || wrong)) known = part.calls.emplace(e.call, 0).first;
    if (!keep) return false;
  } else if (known->second == 0 || known->second >= kAttempts) {
    return false;
  }
  if (known != part.calls.end()) known->second++;
  return true;
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
  std::ranges::sort(out, {}, &Count::kind);
  return out;
}

std::size_t Sift::remembered(std::uint64_t run) const {
  auto at = parts_.find(run);
  return at == parts_.end() ? 0 : at->second.calls.size();
}

std::uint64_t Sift::exchanges(std::uint64_t run) const {
  auto at = parts_.find(run);
  return at == parts_.end() ? 0 : at->second.taken;
}

}  // namespace retrial::trace

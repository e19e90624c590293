#include "campaign/fleet/clocks.h"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

namespace retrial::campaign {
namespace {

constexpr std::size_t kStep = 3;  // bounds in a row that make a step

constexpr Nanos kLongestStep = 5 * kSecond;
Nanos gained(Nanos time) { return static_cast<Nanos>(static_cast<double>(time) * kMostDrift); }

struct Interval {
  Nanos low = INT64_MIN, high = INT64_MAX;
  bool narrow(const ClockBound& b, Nanos from) {  // false, and as it was: it would be empty
    auto drift = gained(b.at - from);
    auto to = Interval{std::max(low, b.low - drift), std::min(high, b.high + drift)};
    if (to.low > to.high) return false;
    *this = to;
    return true;
  }
};

// Two clocks, the lower number first: bounds of second - first, at times of both.
struct Shared {
  Nanos at_first = 0, at_second = 0, low = 0, high = 0;
};
using Pairs = std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Shared>>;

// An exchange by all who saw it, once each, the outermost first.
void pair_up(std::span<Sighting> seen, Pairs& pairs) {
  std::ranges::sort(seen, {}, &Sighting::clock);
  if (std::ranges::adjacent_find(seen, {}, &Sighting::clock) != seen.end()) return;  // sent again: which is which?
  std::ranges::sort(seen, std::greater(), [](auto& s) { return s.answered - s.begun; });
  for (std::size_t i = 0; i + 1 < seen.size(); i++) {
    auto &outer = seen[i], &inner = seen[i + 1];
    Shared s{outer.begun, inner.begun, inner.answered - outer.answered, inner.begun - outer.begun};
    if (outer.clock > inner.clock) s = {inner.begun, outer.begun, -s.high, -s.low};
    pairs[std::minmax(outer.clock, inner.clock)].push_back(s);
  }
}

// Of the second clock against the first, or the other way round.
std::vector<ClockBound> bounds_of(const std::vector<Shared>& all, bool of_second) {
  std::vector<ClockBound> bounds;
  for (auto& s : all)
    bounds.push_back(of_second ? ClockBound{s.at_second, s.low, s.high} : ClockBound{s.at_first, -s.high, -s.low});
  return bounds;
}

Nanos worst(const std::vector<ClockStep>& steps) { return std::ranges::max(steps, {}, &ClockStep::error).error; }

Nanos offset_at(const std::vector<ClockStep>& steps, Nanos time) {
  auto behind = std::ranges::upper_bound(steps, time, {}, &ClockStep::from);
  return behind == steps.begin() ? behind->offset : std::prev(behind)->offset;
}

}  // namespace

// A step is of the time at which it begins: what bounds a clock later bounds it then too, but for what it may have
// gained meanwhile. It holds until the next begins, but for what it may gain until then.
std::vector<ClockStep> steps_of(std::vector<ClockBound> bounds, std::size_t& contradicted) {
  std::ranges::sort(bounds, {}, &ClockBound::at);
  std::vector<ClockStep> steps;
  Interval now;
  Nanos from = bounds.empty() ? 0 : bounds.front().at;
  auto end_step = [&](Nanos until) {
    auto half = (now.high - now.low) / 2;
    steps.push_back({from, now.low + half, half + 1 + gained(until - from)});
  };
  // With what is known of it already.
  auto begin_step = [&](Nanos at, Interval known) {
    end_step(at);
    from = at;
    now = known;
  };
  std::vector<ClockBound> odd;  // that do not fit, in a row
  for (auto& bound : bounds) {
    if (odd.empty() && bound.at - from > kLongestStep) {
      auto drift = gained(bound.at - from);
      begin_step(bound.at, {now.low - drift, now.high + drift});
    }
    if (now.narrow(bound, from)) {
      contradicted += odd.size();
      odd.clear();
      continue;
    }
    odd.push_back(bound);
    Interval next;
    if (!std::ranges::all_of(odd, [&](auto& b) { return next.narrow(b, odd.front().at); })) {
      contradicted++;  // they do not fit each other either
      odd.erase(odd.begin());
      continue;
    }
    if (odd.size() < kStep) continue;
    begin_step(odd.front().at, next);
    odd.clear();
  }
  contradicted += odd.size();
  if (!bounds.empty()) end_step(bounds.back().at);
  return steps;
}

FleetClocks::FleetClocks(std::size_t clocks, std::vector<Sighting> sightings) : clocks_(clocks) {
  Pairs pairs;
  std::ranges::sort(sightings, {}, &Sighting::key);
  for (std::size_t at = 0; at < sightings.size();) {
    auto end = at + 1;
    while (end < sightings.size() && sightings[end].key == sightings[at].key) end++;
    if (end - at > 1) pair_up(std::span(sightings).subspan(at, end - at), pairs);
    at = end;
  }
  struct Way {
    std::size_t to = 0;
    Nanos error = 0;
    const std::vector<Shared>* shared = nullptr;
  };
  std::vector<std::vector<Way>> ways(clocks);
  for (auto& [pair, shared] : pairs) {
    auto [first, second] = pair;
    shared_ += shared.size();
    clocks_[first].shared += shared.size();
    clocks_[second].shared += shared.size();
    auto error = worst(steps_of(bounds_of(shared, true), contradicted_));
    ways[first].push_back({second, error, &shared});
    ways[second].push_back({first, error, &shared});
  }
  if (clocks == 0) return;
  // From the fleet's clock outwards, the surest way first.
  auto fleet = static_cast<std::size_t>(std::ranges::max_element(clocks_, {}, &FleetClock::shared) - clocks_.begin());
  using Next = std::tuple<Nanos, std::size_t, std::size_t, const std::vector<Shared>*>;  // error, clock, by which
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
  next.emplace(0, fleet, fleet, nullptr);
  while (!next.empty()) {
    auto [error, number, above, shared] = next.top();
    next.pop();
    auto& clock = clocks_[number];
    if (clock.tied) continue;
    clock.tied = true;
    clock.error = error;
    clock.above = above;
    std::size_t known = 0;
    if (shared) clock.steps = steps_of(bounds_of(*shared, number > above), known);
    for (auto& way : ways[number])
      if (!clocks_[way.to].tied) next.emplace(error + way.error, way.to, number, way.shared);
  }
  for (std::size_t i = 0; i < clocks; i++)
    if (auto& clock = clocks_[i]; clock.tied && !clock.steps.empty())
      clock.offset = clock.steps.front().from - of(i, clock.steps.front().from);
}

Nanos FleetClocks::of(std::size_t clock, Nanos time) const {
  while (clocks_[clock].tied && clocks_[clock].above != clock) {
    time -= offset_at(clocks_[clock].steps, time);
    clock = clocks_[clock].above;
  }
  return time;
}

}  // namespace retrial::campaign

#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/clock.h"
#include "campaign/fleet/sightings.h"

namespace retrial::campaign {

// How far two clocks are apart while both saw the same exchanges: no less than `low` and no more than `high`, at the
// time `at` of the one that is asked for.
struct ClockBound {
  Nanos at = 0, low = 0, high = 0;
};
// How much one clock gains on another at most, of the time: crystals keep within half of it each, and so does NTP where
// it does not step.
inline constexpr double kMostDrift = 50e-6;
// From `from` on (of that clock) it is `offset` ahead of another, give or take `error`.
struct ClockStep {
  Nanos from = 0, offset = 0, error = 0;
};
// A step every few seconds. Bounds that contradict those before and behind them are left out, and counted: an id that
// came twice. Several of them in a row are a step of their own: one of the clocks was set.
std::vector<ClockStep> steps_of(std::vector<ClockBound> bounds, std::size_t& contradicted);

// A clock among those of a fleet.
struct FleetClock {
  bool tied = false;             // by exchanges that it shares, directly or by others, with the fleet's clock
  Nanos offset = 0;              // ahead of the fleet's, as its recording begins
  Nanos error = 0;               // no more than that, at any time
  std::size_t shared = 0;        // exchanges with other clocks
  std::size_t above = 0;         // the clock that it is tied to; its own number: it is the fleet's
  std::vector<ClockStep> steps;  // against that
};

// Brings clocks of many instances together (as NTP does, RFC 5905 8, with what was recorded in place of packets of its
// own): of an exchange that two instances saw the inner interval, from the request's first byte to the answer's first,
// lies within the outer one, whatever the network between them did. So the difference of the clocks has two bounds, and
// all exchanges together narrow them. The clock that shares the most is the fleet's.
class FleetClocks {
 public:
  // `clocks`: how many there are. Nothing is assumed of how near they are.
  FleetClocks(std::size_t clocks, std::vector<Sighting> sightings);

  Nanos of(std::size_t clock, Nanos time) const;  // on the fleet's clock; as it is where it is not tied
  std::span<const FleetClock> all() const { return clocks_; }
  std::size_t shared() const { return shared_; }              // exchanges that two instances saw
  std::size_t contradicted() const { return contradicted_; }  // of these, that did not fit

 private:
  std::vector<FleetClock> clocks_;
  std::size_t shared_ = 0, contradicted_ = 0;
};

}  // namespace retrial::campaign

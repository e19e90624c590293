#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "campaign/fleet/fleet.h"
#include "trace/run.h"

namespace retrial::campaign {

// Hands out a number for each clock, as starts of members come up.
class Starts {
 public:
  std::uint32_t clock_of(std::uint64_t run) {
    for (auto& start : now_)
      if (start.run == run) return static_cast<std::uint32_t>(start.clock);
    now_.push_back({.run = run, .clock = count_++, .wall = {}});
    return static_cast<std::uint32_t>(now_.back().clock);
  }
  // The member has been read; what its runs say of their clocks is known.
  std::vector<Member::Start> end(const std::vector<trace::Run>& runs) {
    for (auto& start : now_)
      for (auto& run : runs)
        if (run.id == start.run) start.wall = {run.began, run.wall_began};
    walls_.resize(count_);
    for (auto& start : now_) walls_[start.clock] = start.wall;
    return std::exchange(now_, {});
  }
  FleetClocks clocks(Sightings& sightings) const {
    auto seen = sightings.give();
    for (auto& one : seen) {
      auto& wall = walls_[one.clock];
      one.begun = wall.of(one.begun);
      one.answered = wall.of(one.answered);
    }
    return FleetClocks(count_, std::move(seen));
  }

 private:
  std::vector<Member::Start> now_;
  std::vector<proxy::WallTime> walls_;  // by clock
  std::size_t count_ = 0;
};

}  // namespace retrial::campaign

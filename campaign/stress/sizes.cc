#include "campaign/stress/sizes.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace retrial::campaign {

std::optional<std::int64_t> Sizes::next() const {
  auto size = after_all();
  return size < least_ ? std::nullopt : std::optional(size);
}

std::int64_t Sizes::after_all() const {
  if (runs_ == 0) return most_;
  if (runs_ >= kMostRuns || enough()) return 0;
  if (parts_.empty()) return came_to_ > least_ ? std::max(came_to_ / kStep, least_) : 0;
  auto largest = static_cast<double>(parts_.rbegin()->first), up = highest();
  if (up >= kRoom * largest) return std::llround(up);
  if (stand_out_.empty()) return 0;
  auto lowest = *stand_out_.begin();
  // Up to what took too long: there what grows fastest is the most of it.
  if (auto size = too_long_ ? within_widest_gap(static_cast<double>(lowest), std::max(up, largest)) : std::nullopt)
    return *size;
  if (!quiet_ && lowest / 2 >= least_) return lowest / 2;
  if (stand_out_.size() == 1 && !too_long_) return 0;  // half of it showed nothing, and there is no more than it
  if (auto size = within_widest_gap(static_cast<double>(quiet_ ? quiet_ : lowest), std::max(up, largest))) return *size;
  return up >= kOther * largest ? std::llround(up) : 0;
}

void Sizes::saw(Seen seen, std::int64_t size, double part, std::int64_t came_to) {
  runs_++;
  if (size < 1) return;
  if (seen == Seen::too_long) {
    too_long_ = too_long_ ? std::min(too_long_, size) : size;
    auto like = came_to > 0 ? came_to : size;
    came_to_ = came_to_ ? std::min(came_to_, like) : like;
    return;
  }
  parts_[size] = part;
  if (seen == Seen::stands_out)
    stand_out_.insert(size);
  else
    quiet_ = std::max(quiet_, size);
}

// The size that would take this part.
double Sizes::foretold(double wanted) const {
  auto [largest, part] = *parts_.rbegin();
  auto size = static_cast<double>(largest);
  auto power = kSquare;
  if (stand_out_.size() > 1) {
    auto before = *std::next(stand_out_.rbegin());
    auto of_it = std::max(parts_.at(before), kNoise);
    power = std::clamp(std::log(part / of_it) / std::log(size / static_cast<double>(before)), kSquare, kSteepest);
  }
  return size * std::pow(wanted / std::max(part, kNoise), 1 / power);
}

// What would take about as long as a run may, below what took too long.
double Sizes::highest() const {
  auto size = static_cast<double>(parts_.rbegin()->first), ended = static_cast<double>(too_long_);
  if (!too_long_) return size;
  auto up = foretold(kMayTake);
  return up < ended ? up : std::sqrt(size * ended);
}

std::optional<std::int64_t> Sizes::beyond(double times) const {
  if (parts_.empty()) return {};
  auto size = std::min(std::llround(foretold(times * kMayTake)), static_cast<long long>(too_long_));
  return static_cast<double>(size) >= kOther * static_cast<double>(parts_.rbegin()->first) ? std::optional(size)
                                                                                           : std::nullopt;
}

// Its middle, as factors go. None where no gap has room for one that differs from both of its ends.
std::optional<std::int64_t> Sizes::within_widest_gap(double below, double above) const {
  std::vector<double> ends{below};
  for (auto size : stand_out_) ends.push_back(static_cast<double>(size));
  ends.push_back(above);
  double widest = kRoom, middle = 0;
  for (std::size_t i = 0; i + 1 < ends.size(); i++)
    if (auto factor = ends[i + 1] / ends[i]; factor >= widest) {
      widest = factor;
      middle = ends[i] * std::sqrt(factor);
    }
  auto size = std::llround(middle);
  if (static_cast<double>(size) <= below || static_cast<double>(size) >= above || stand_out_.contains(size)) return {};
  return size;
}

}  // namespace retrial::campaign

#include "campaign/report/time_axis.h"

#include <algorithm>
#include <cmath>

namespace retrial::campaign::report {
namespace {
constexpr double kLeastVisible = 5;  // of a span on a linear axis
constexpr double kTickRoom = 74;     // between the labels of two ticks
}  // namespace

TimeAxis::TimeAxis(const std::vector<Span>& spans, double width) {
  for (const auto& span : spans) times_.insert(times_.end(), {span.from, std::max(span.from, span.to)});
  std::sort(times_.begin(), times_.end());
  times_.erase(std::unique(times_.begin(), times_.end()), times_.end());
  if (times_.empty()) times_.push_back(0);
  if (times_.size() == 1) times_.push_back(times_.front() + kMillisecond);

  auto whole = static_cast<double>(to() - from());
  compressed_ = std::any_of(spans.begin(), spans.end(), [&](const Span& span) {
    return static_cast<double>(span.to - span.from) / whole * width < kLeastVisible;
  });
  // Each stretch between two neighbours gets a share of the width: its length, or a low power of it.
  std::vector<double> shares;
  double sum = 0;
  for (std::size_t i = 1; i < times_.size(); i++) {
    auto length = static_cast<double>(times_[i] - times_[i - 1]);
    sum += shares.emplace_back(compressed_ ? std::pow(length, 0.3) : length);
  }
  places_.push_back(0);
  for (auto share : shares) places_.push_back(places_.back() + share / sum * width);
}

double TimeAxis::x(Nanos time) const {
  if (time <= times_.front()) return places_.front();
  if (time >= times_.back()) return places_.back();
  auto after = static_cast<std::size_t>(std::upper_bound(times_.begin(), times_.end(), time) - times_.begin());
  auto part = static_cast<double>(time - times_[after - 1]) / static_cast<double>(times_[after] - times_[after - 1]);
  return places_[after - 1] + part * (places_[after] - places_[after - 1]);
}

std::vector<TimeAxis::Tick> TimeAxis::ticks() const {
  std::vector<Tick> out = {{0, 0}};
  if (compressed_) {
    // No even steps here: the ticks stand where something happens, as many as there is room for.
    for (std::size_t i = 1; i < times_.size(); i++) {
      bool last = i + 1 == times_.size();
      bool room = places_[i] - out.back().x >= kTickRoom && (last || places_.back() - places_[i] >= kTickRoom);
      if (room || last) out.push_back({places_[i], times_[i] - from()});
    }
    return out;
  }
  auto whole = static_cast<double>(to() - from());
  auto most = std::max(places_.back() / kTickRoom, 1.0);
  auto step = std::pow(10, std::floor(std::log10(whole / most)));
  for (double factor : {1.0, 2.0, 5.0, 10.0})
    if (whole / (step * factor) <= most) {
      step *= factor;
      break;
    }
  for (int i = 1; i * step <= whole; i++)
    out.push_back({i * step / whole * places_.back(), static_cast<Nanos>(std::llround(i * step))});
  return out;
}

}  // namespace retrial::campaign::report

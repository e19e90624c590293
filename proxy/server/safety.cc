#include "proxy/server/safety.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace retrial::proxy {
namespace {

// "12.5%"
std::string percent(policies::Share share) {
  return fmt::format("{}%", static_cast<double>(share) / policies::kPercent);
}
bool beyond(std::uint64_t part, std::uint64_t whole, policies::Share share) {
  return static_cast<double>(part) > static_cast<double>(whole) * share / policies::kAlways;
}
bool nothing(const Bounds& b) { return b.faults_per_minute == 0 && b.faults_share == 0; }

}  // namespace

std::string_view show(Safety::Mode mode) {
  constexpr std::string_view kWords[] = {"observing", "armed", "halted"};
  return kWords[static_cast<std::size_t>(mode)];
}

Safety::Safety(SafetySettings settings, const Clock& clock) : clock_(clock), settings_(std::move(settings)) {
  state_.since = clock_.now();
  if (settings_.armed) resume(0);
}

const Bounds& Safety::bounds_of(std::string_view service) const {
  auto said = settings_.of.find(service);
  return said == settings_.of.end() ? settings_.bounds : said->second;
}

std::uint64_t Safety::roll(Service& s, std::int64_t second) {
  auto size = static_cast<std::int64_t>(s.faults.size());
  for (auto at = std::max(s.second + 1, second - size + 1); at <= second; at++)
    s.faults[static_cast<std::size_t>(at % size)] = 0;
  s.second = std::max(s.second, second);
  std::uint64_t all = 0;
  for (auto n : s.faults) all += n;
  return all;
}

bool Safety::take(std::string_view name, const Meters* meters) {
  auto now = clock_.now();
  auto until = until_.load(std::memory_order_relaxed);
  if (!on() || (until != 0 && now >= until)) return false;
  std::lock_guard lock(mutex_);
  auto& bounds = bounds_of(name);
  auto at = services_.find(name);
  if (at == services_.end()) {
    if (services_.size() >= Meter::kMostServices) {  // those of a forward proxy: they share what one may bear
      name = Meter::kOthers;
      at = services_.find(name);
    }
    if (at == services_.end()) at = services_.emplace(std::string(name), Service{}).first;
  }
  auto& service = at->second;
  auto faults = roll(service, now / kSecond);
  if (!nothing(bounds)) {
    auto refuse = [&](std::string why) {
      service.refused++;
      service.why = std::move(why);
      return false;
    };
    if (bounds.faults_per_minute && faults >= bounds.faults_per_minute)
      return refuse(fmt::format("{} faults a minute", bounds.faults_per_minute));
    auto before = service.looks.empty() ? 0 : service.looks.front().counts.requests;
    auto requests = bounds.faults_share && meters ? meters->requests_of(name) : 0;
    auto minute = requests > before ? requests - before : 0;
    if (bounds.faults_share && beyond(faults + 1, minute, bounds.faults_share))
      return refuse(fmt::format("{} of its requests", percent(bounds.faults_share)));
  }
  service.faults[static_cast<std::size_t>(service.second % static_cast<std::int64_t>(service.faults.size()))]++;
  return true;
}

Safety::State Safety::state() const {
  std::lock_guard lock(mutex_);
  return state_;
}

void Safety::turn(Mode mode, std::string why, Nanos until) {
  on_.store(mode == Mode::armed, std::memory_order_relaxed);
  until_.store(until, std::memory_order_relaxed);
  std::lock_guard lock(mutex_);
  if (state_.mode != mode) state_.since = clock_.now();
  state_.mode = mode;
  state_.why = std::move(why);
  state_.until = until;
}

void Safety::resume(Nanos ttl) {
  auto time = ttl ? ttl : settings_.ttl;
  turn(Mode::armed, {}, time ? clock_.now() + time : 0);
  std::lock_guard lock(mutex_);
  state_.ttl = time;
}
void Safety::halt(const std::string& why) { turn(Mode::halted, why, 0); }

void Safety::change(SafetySettings settings) {
  std::lock_guard lock(mutex_);
  settings_ = std::move(settings);
}

std::optional<std::string> Safety::passed(const std::string& name, const Service& service, const Bounds& bounds) const {
  if (service.looks.empty()) return {};
  auto minute = service.last;
  minute -= service.looks.front().counts;
  auto judged = minute.requests - std::min(minute.requests, minute.client_left + minute.refused);
  if (judged < kLeastRequests) return {};
  if (bounds.own_errors && beyond(minute.own_errors, judged, bounds.own_errors))
    return fmt::format("{}: {} of its {} exchanges of the last minute failed by themselves, more than {}", name,
                       minute.own_errors, judged, percent(bounds.own_errors));
  if (bounds.own_latency == 0 || minute.answered < kLeastRequests) return {};
  std::uint64_t over = 0;
  for (auto i = bucket_of(bounds.own_latency) + 1; i < kTimeBuckets; i++) over += minute.times[i];
  if (over * 10 > minute.answered)
    return fmt::format("{}: {} of its {} answers of the last minute took longer than {}", name, over, minute.answered,
                       show_duration(bounds.own_latency));
  return {};
}

std::optional<std::string> Safety::look(const std::vector<Meter::OfService>& counts) {
  auto now = clock_.now();
  std::optional<std::string> why;
  {
    std::lock_guard lock(mutex_);
    for (auto& [name, seen] : counts) {
      auto& service = services_[name];
      auto& looks = service.looks;
      if (looks.empty() || now - looks.back().at >= kStep) looks.push_back({now, service.last});
      while (looks.size() > 1 && now - looks[1].at >= kMinute) looks.erase(looks.begin());
      service.last = seen;
      roll(service, now / kSecond);
      if (state_.mode == Mode::armed && !why) why = passed(name, service, bounds_of(name));
    }
    if (state_.mode == Mode::armed && state_.until != 0 && now >= state_.until)
      why = fmt::format("its time of {} is over, and nobody renewed it", show_duration(state_.ttl));
    else if (state_.mode != Mode::armed)
      why.reset();
  }
  if (why) halt(*why);
  return why;
}

std::vector<std::string> Safety::refused() {
  std::lock_guard lock(mutex_);
  std::vector<std::string> lines;
  for (auto& [name, service] : services_)
    if (auto n = std::exchange(service.refused, 0))
      lines.push_back(
          fmt::format("{}: {} fault{} withheld: it may bear {}", name, n, n == 1 ? " was" : "s were", service.why));
  return lines;
}

std::vector<Safety::Recent> Safety::recent() const {
  std::lock_guard lock(mutex_);
  std::vector<Recent> all;
  for (auto& [name, service] : services_) {
    auto minute = service.last;
    if (!service.looks.empty()) minute -= service.looks.front().counts;
    std::uint64_t faults = 0;
    for (auto n : service.faults) faults += n;
    all.push_back({name, minute, faults, bounds_of(name)});
  }
  return all;
}

}  // namespace retrial::proxy

#include "campaign/serving/live_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "campaign/judging/checked.h"
#include "checkers/deed.h"

namespace retrial::campaign {

LiveChecks::LiveChecks(const std::vector<checkers::Checker>& checkers, proxy::Log& log)
    : checkers_(checkers), log_(log) {
  for (auto& c : checkers_) counts_.push_back({c.name});
  start();
}

void LiveChecks::start() {
  monitor_.emplace(checkers_, [this](auto& o) { outcome(o); });
}

void LiveChecks::lost() {
  if (times_lost_++ == 0)
    log_.say(proxy::Log::Level::warning,
             fmt::format(
                 "checkers: a part of what passes is not looked at, as more came than is kept ({} exchanges, or what "
                 "the recording holds): all that was known of states is forgotten then, each time",
                 kMost));
  held_.clear();
  steps_ = {};
  waiting_.clear();
  start();
}

void LiveChecks::take(const trace::Exchange& e) {
  auto concern = monitor_->concern_of(e);
  if (concern == checkers::Monitor::Concern::none) return;
  if (concern == checkers::Monitor::Concern::looks && held_.size() >= kMostReads) return;
  if (e.begun <= reached_) {
    if (checkers::deed_of(e, {false, false}).looks()) return;
    monitor_->forget(e.service);
    waiting_.remove_if([&](auto& w) { return w.service == e.service && w.told >= e.begun; });
    return;
  }
  if (held_.size() >= kMost) lost();
  auto end = std::max({e.told, e.service_done, e.answered, e.begun});
  held_.emplace(e.id, e);
  steps_.push({e.begun, false, e.id});
  steps_.push({end, true, e.id});
}

void LiveChecks::look(Nanos now) {
  while (!steps_.empty() && steps_.top().at <= now - kLag) {
    auto step = steps_.top();
    steps_.pop();
    reached_ = std::max(reached_, step.at);
    auto it = held_.find(step.exchange);
    if (it == held_.end()) continue;
    if (!step.ends) {
      monitor_->begins(it->second);
      continue;
    }
    monitor_->ends(it->second);
    held_.erase(it);
  }
  while (!waiting_.empty() && waiting_.front().told <= now - kSettled) {
    tell(waiting_.front());
    waiting_.pop_front();
  }
}

void LiveChecks::outcome(const checkers::Outcome& o) {
  auto n = static_cast<std::size_t>(o.checker - checkers_.data());
  if (o.verdict == checkers::Verdict::pass) {
    std::lock_guard lock(mutex_);
    counts_[n].passed++;
    return;
  }
  auto it = held_.find(o.exchange);
  if (o.verdict != checkers::Verdict::fail || it == held_.end() || waiting_.size() >= kMostWaiting) return;
  waiting_.push_back({n, it->second.service, o.says, it->second.begun, it->second.told, o.evidence});
}

void LiveChecks::tell(const Waiting& failure) {
  auto& name = checkers_[failure.checker].name;
  {
    std::lock_guard lock(mutex_);
    counts_[failure.checker].failed++;
  }
  auto exchanges = fmt::format("{}", fmt::join(failure.evidence, ", "));
  const proxy::Log::Field fields[] = {{"retrial.verdict", "semantic-violation"},
                                      {"retrial.checker", name},
                                      {"retrial.service", failure.service},
                                      {"retrial.exchanges", exchanges}};
  log_.tell(proxy::Log::Level::warning,
            fmt::format("semantic-violation: {} (checker {}; exchange{} {})", failure.says, name,
                        failure.evidence.size() == 1 ? "" : "s", exchanges),
            fields);
}

void LiveChecks::end() {
  look(std::numeric_limits<Nanos>::max());
  std::size_t passed = 0, failed = 0;
  std::vector<std::string_view> idle;
  for (auto& count : counts_) {
    passed += count.passed;
    failed += count.failed;
    if (count.passed + count.failed == 0) idle.push_back(count.checker);
  }
  auto text = what_was_checked(counts_.size(), passed, failed, idle);
  if (times_lost_) text += fmt::format("; a part of what passed was not looked at, {} times", times_lost_);
  log_.say(proxy::Log::Level::info, text);
}

std::vector<LiveChecks::Count> LiveChecks::counts() const {
  std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace retrial::campaign

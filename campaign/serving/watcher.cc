#include "campaign/serving/watcher.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>

#include "base/fold.h"
#include "trace/calls/operation.h"
#include "trace/profiles/profile.h"

namespace retrial::campaign {
namespace {
using Json = nlohmann::ordered_json;
constexpr auto kPause = std::chrono::milliseconds(200);

Nanos now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

}  // namespace

std::string exchange_json(const trace::Exchange& e, const proxy::WallTime& wall) {
  Json json = Json::object();
  for (auto& field : proxy::access_fields()) {
    auto value = field.value(e, wall);
    if (value.empty()) continue;
    auto number = field.number ? Json::parse(value, nullptr, false) : Json();
    json[std::string(field.name)] = field.number && !number.is_discarded() ? number : Json(value);
  }
  auto since = [&](const char* key, Nanos at) {
    if (at) json["at_ms"][key] = static_cast<double>((at - e.begun) / 1000) / 1000;
  };
  since("request_read", e.request_read);
  since("answered", e.answered);
  since("service_done", e.service_done);
  since("fired", e.fired ? e.fired_at : 0);
  since("told", e.told);
  json["failed"] = trace::told_failure(e);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Watcher::Watcher(Setting setting, std::vector<Take> takers, std::function<void()> after, proxy::Log& log)
    : setting_(std::move(setting)),
      takers_(std::move(takers)),
      after_(std::move(after)),
      log_(log),
      wall_{setting_.run.began, setting_.run.wall_began} {
  sigset_t all, before;
  sigfillset(&all);
  for (int own : {SIGBUS, SIGSEGV, SIGFPE, SIGILL}) sigdelset(&all, own);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  thread_ = std::thread([this] {
    pthread_setname_np(pthread_self(), "retrial-watch");
    run();
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Watcher::~Watcher() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Watcher::want() {
  {
    std::lock_guard lock(mutex_);
    wanted_until_ = now() + kPatience;
  }
  wake_.notify_one();
}

void Watcher::run() {
  for (bool ending = false; !ending;) {
    {
      std::unique_lock lock(mutex_);
      if (follower_)
        wake_.wait_for(lock, kPause, [&] { return ending_; });
      else
        wake_.wait(lock, [&] { return ending_ || setting_.always || wanted_until_ > now(); });
      ending = ending_;
      // Whoever looked has gone: nothing is read any more, and where somebody comes back it begins anew.
      if (follower_ && !setting_.always && wanted_until_ <= now()) {
        follower_.reset();
        correlator_.reset();
        failed_at_.clear();
        order_.clear();
        last_.clear();
        continue;
      }
    }
    if (ending && !setting_.always) return;
    if (!follower_) {
      follower_ = std::make_unique<trace::SegmentFollower>(
          setting_.folder, trace::SegmentFollower::Options{.run = setting_.run.id, .from_the_first = setting_.always});
      correlator_ = std::make_unique<trace::Correlator>(setting_.services);
    }
    look();
  }
}

void Watcher::look() {
  for (bool more = true; more;) {
    auto looked =
        follower_->look({.head = [this](trace::Exchange& e) { head(e); }, .over = [this](Held& e) { over(e); }});
    show();
    if (!looked && !std::exchange(failed_, true)) log_.say(proxy::Log::Level::warning, looked.error().line());
    more = looked.value_or(false);
    lost_ = follower_->lost();
    if (after_) after_();
  }
}

void Watcher::name(trace::Exchange& e) {
  if (!e.profile.empty() && !e.operation.empty()) return;
  Fold fold;
  for (auto part : {&e.service, &e.host, &e.method, &e.target, &e.profile, &e.operation}) fold.add(*part);
  for (auto& header : e.request_headers) {
    fold.add(header.name);
    fold.add(header.value);
  }
  fold.add(e.request_lines);
  auto at = known_.find(fold.value());
  if (at == known_.end()) {
    if (e.profile.empty()) e.profile = trace::profile_for(e).name();
    if (e.operation.empty()) e.operation = trace::operation_of(e);
    if (known_.size() >= kMostKnown) known_.clear();
    known_.emplace(fold.value(), Known{e.profile, e.operation});
    return;
  }
  e.profile = at->second.profile;
  e.operation = at->second.operation;
}

void Watcher::head(trace::Exchange& e) {
  name(e);
  auto assigned = correlator_->at_head(e);
  e.call = assigned.call;
  e.attempt = assigned.attempt;
  e.confidence = assigned.confidence;
  auto& of = counted(e);
  if (!std::exchange(of.changed, true)) changed_.push_back(&of);
  auto& counts = of.counts;
  counts.attempts++;
  if (e.attempt <= 1) {
    counts.calls++;
    return;
  }
  counts.retries++;
  auto before = failed_at_.find(e.call);
  if (before == failed_at_.end() || e.begun < before->second) return;
  auto gap = e.begun - before->second;
  counts.gap_sum += static_cast<std::uint64_t>(gap);
  counts.gaps[proxy::bucket_of(gap)]++;
}

Watcher::Counted& Watcher::counted(const trace::Exchange& e) {
  auto key = key_of(e);
  if (auto at = operations_.find(key); at != operations_.end()) return at->second;
  bool full = operations_.size() >= kMostOperations;
  if (full)
    if (auto at = operations_.find(0); at != operations_.end()) return at->second;
  std::lock_guard lock(mutex_);
  auto& added = operations_[full ? 0 : key];
  added.shown.service = full ? std::string(proxy::Meter::kOthers) : e.service;
  added.shown.operation = full ? "" : e.operation;
  added.shown.site = full || !e.tag.site ? "" : trace::show(*e.tag.site);
  return added;
}

std::uint64_t Watcher::key_of(const trace::Exchange& e) {
  Fold fold;
  fold.add(e.service);
  fold.add(e.operation);
  if (auto& site = e.tag.site) {
    fold.add(site->file);
    fold.add(site->function);
    fold.add(static_cast<std::uint64_t>(site->line));
  }
  return fold.value() | 1;  // 0 is that of all others
}

void Watcher::over(Held& held) {
  auto& e = *held;
  correlator_->over(e);
  seen_++;
  bool failed = trace::told_failure(e);
  if (e.call && failed) {
    if (failed_at_.insert_or_assign(e.call, e.told).second) order_.push_back(e.call);
    if (order_.size() > kMostCalls) {
      failed_at_.erase(order_.front());
      order_.pop_front();
    }
  } else if (!failed_at_.empty()) {
    failed_at_.erase(e.call);
  }
  for (auto& take : takers_) take(e, wall_);
  if (failed) {
    auto& of = counted(e);
    if (!std::exchange(of.changed, true)) changed_.push_back(&of);
    of.counts.failed++;
  }
  if (follower_->still_to_end() >= kLast) return;  // so many come after it
  ended_.push_back(std::move(held));
  if (rooms_.empty()) return;
  held = std::move(rooms_.back());
  rooms_.pop_back();
}

// Once a look, so that nothing is locked for each exchange.
void Watcher::show() {
  std::lock_guard lock(mutex_);
  for (auto* of : changed_) {
    of->shown.counts = of->counts;
    of->changed = false;
  }
  changed_.clear();
  for (auto& e : ended_) {
    last_.push_front(std::move(e));
    if (last_.size() <= kLast) continue;
    rooms_.push_back(std::move(last_.back()));
    last_.pop_back();
  }
  ended_.clear();
}

std::vector<std::string> Watcher::last(std::size_t most) const {
  std::vector<trace::Exchange> some;
  {
    std::lock_guard lock(mutex_);
    for (auto& e : last_)
      if (some.size() < most) some.push_back(*e);
  }
  std::vector<std::string> lines;
  for (auto& e : some) lines.push_back(exchange_json(e, wall_));
  return lines;
}

std::vector<Watcher::Operation> Watcher::operations() const {
  std::lock_guard lock(mutex_);
  std::vector<Operation> all;
  for (auto& [key, operation] : operations_) all.push_back(operation.shown);
  return all;
}

}  // namespace retrial::campaign

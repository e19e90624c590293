#include "campaign/workload/watchdog.h"

#include <algorithm>
#include <utility>

namespace retrial::campaign {
namespace {

constexpr Nanos kHungAfter = 60 * kSecond;       // design: idle for 60 s and 5 times the longest gap
constexpr Nanos kTicking = 7200 * kSecond;       // of the client's time, in short waits
constexpr Nanos kTwoDays = 50 * 3600 * kSecond;  // in whatever waits: longer than any between attempts
constexpr Nanos kSurelyIdle = 5 * kSecond;       // before a tree that waits for nothing is taken to hang
constexpr Nanos kCheap = 10 * kSecond;           // real: a minute of the client's where something polls each 20 ms
constexpr Nanos kListens = 300 * kMillisecond;   // real: to what comes on a stream by itself, at least
constexpr Nanos kSilent = 30 * kSecond;          // and at most: event streams speak each 15 s (HTML 9.2.7)
constexpr Nanos kWaits = 60;  // times as fast as the real one goes the clock of a tree that waits most of the time
constexpr Nanos kIdleCpu = 20 * kMillisecond;  // of CPU within a second: a tree that uses less is idle

}  // namespace

Watchdog::Watchdog(const RunSpec& spec, const Clock& client, const Clock& real)
    : spec_(spec),
      client_(client),
      real_(real),
      began_(client.now()),
      really_began_(real.now()),
      looked_at_(began_),
      measured_at_(began_),
      cpu_at_(really_began_),
      active_at_(really_began_),
      attempts_(spec, client, real) {}

std::optional<trace::Stop> Watchdog::look(const proxy::Proxy& proxy, const proxy::Tree& tree, int target_attempts,
                                          int in_vain, Nanos last_wait) {
  auto now = client_.now();
  if (attempts_.reached(target_attempts, in_vain)) return trace::Stop::capped;
  auto held = held_since(proxy, tree);
  if (held != held_) held_ = held, held_at_ = real_.now();
  if (spec_.hold && held && now - held >= hold()) return trace::Stop::held;
  if (spec_.cut && real_.now() - really_began_ >= spec_.cut) return trace::Stop::interrupted;
  if (spec_.deadline && real_.now() - really_began_ >= spec_.deadline && !held) return trace::Stop::deadline;
  if (spec_.sampled_time && now - began_ >= sample()) return trace::Stop::deadline;
  measure(tree);
  if (spec_.work && cpu_ > spec_.work) return trace::Stop::deadline;
  if (hangs(proxy, now, last_wait) && !held) return trace::Stop::hung;
  return {};
}

bool Watchdog::idle_for(Nanos time, const proxy::Proxy& proxy) const {
  return proxy.open_exchanges() == 0 && client_.now() - std::max(proxy.last_activity(), began_) >= time;
}

Nanos Watchdog::next(const proxy::Proxy& proxy, const proxy::Tree& tree) const {
  if (auto held = held_since(proxy, tree)) return spec_.hold ? held + hold() : 0;
  if (!may_hang(proxy) || real_.now() - active_at_ < surely(kSurelyIdle, proxy)) return 0;
  auto hung = std::max(proxy.last_activity(), began_) + kTwoDays;
  return spec_.sampled_time ? std::min(hung, began_ + sample()) : hung;
}

Nanos Watchdog::sample() const { return real_.now() - really_began_ < kCheap ? kTwoDays : spec_.sampled_time; }

Nanos Watchdog::hold() const {
  return real_.now() - held_at_ < kCheap ? std::max(spec_.hold, spec_.client_hold) : spec_.hold;
}

Nanos Watchdog::held_since(const proxy::Proxy& proxy, const proxy::Tree& tree) const {
  auto held = proxy.held_since(), unanswered = tree.unanswered_since();
  return held == 0 ? unanswered : unanswered == 0 ? held : std::min(held, unanswered);
}

bool Watchdog::hangs(const proxy::Proxy& proxy, Nanos now, Nanos last_wait) {
  auto real = real_.now();
  if (proxy.last_activity() != active_) {
    if (active_ != 0) longest_ = std::max(longest_, real - active_at_);
    active_ = proxy.last_activity();
    active_at_ = real;
    longest_step_ = 0;
  }
  longest_step_ = std::max(longest_step_, now - std::exchange(looked_at_, now));
  if (!may_hang(proxy)) return false;
  auto idle = now - std::max(active_, began_);
  bool ticks =
      idle - longest_step_ >= kTicking && real - active_at_ >= surely(kCheap, proxy) && last_wait < now + kTicking;
  return real - active_at_ > std::max(kHungAfter, 5 * longest_) || ticks || idle >= kTwoDays;
}

bool Watchdog::may_hang(const proxy::Proxy& proxy) const {
  return spec_.moves_clock() && proxy.open_exchanges() == proxy.streaming();
}
Nanos Watchdog::surely(Nanos idle, const proxy::Proxy& proxy) const { return proxy.streaming() > 0 ? kSilent : idle; }

Nanos Watchdog::furthest(const proxy::Proxy& proxy) const {
  auto silent = real_.now() - active_at_;
  if (proxy.streaming() == 0 || silent >= kSilent) return 0;
  return std::max(proxy.last_activity(), began_) + (silent < kListens ? 0 : 2 * silent);
}

// What computes is active. What wakes up for its own timers, and waits again, takes CPU too, the more the faster its
// clock is moved on; while it computes, it is not.
void Watchdog::measure(const proxy::Tree& tree) {
  auto real = real_.now(), since = real - cpu_at_;
  if (since < kSecond) return;
  auto cpu = tree.cpu_time();
  auto moved = client_.now() - std::exchange(measured_at_, client_.now());
  if (cpu - cpu_ > since / kSecond * kIdleCpu && moved < kWaits * since) active_at_ = real;
  cpu_ = cpu;
  cpu_at_ = real;
}

}  // namespace retrial::campaign

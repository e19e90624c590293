#include "proxy/time/compressor.h"

#include <algorithm>
#include <utility>

namespace retrial::proxy {
namespace {

constexpr Nanos kUnarmedSlice = 10 * kMillisecond;  // so that the first jump is seen soon after the fault
constexpr Nanos kSlice = kMillisecond;
constexpr Nanos kIdleSlice = 5 * kMillisecond;  // where there was nothing to jump for a while
constexpr Nanos kLongTime = 200 * kMillisecond;
constexpr Nanos kShortPause = kMillisecond / 4;
constexpr Nanos kLongPause = 4 * kMillisecond;
constexpr Nanos kNoticed = 50 * kMillisecond;  // a process that connects, or is about to execute, is not named
constexpr Nanos kWorthIt = kMillisecond / 2;   // what is nearer comes by itself

}  // namespace

Compressor::Compressor(Loop& loop, TimePage& page, const ClientClock& clock, pid_t root, Surroundings surroundings)
    : loop_(loop),
      page_(page),
      clock_(clock),
      looker_(page, root, surroundings.roles),
      around_(std::move(surroundings)),
      timer_(loop, [this] { wake(); }) {}

void Compressor::prepare(TimePage& page) { page.slice(kUnarmedSlice); }

void Compressor::arm() {
  if (armed_) return;
  armed_ = true;
  since_jump_ = clock_.now() - page_.ahead();
  page_.slice(kSlice);
  rest(false);
}

void Compressor::rest(bool fruitless) {
  looking_ = false;
  pause_ = fruitless ? std::min(2 * pause_, kLongPause) : kShortPause;
  if (fruitless && clock_.now() - page_.ahead() - since_jump_ > kLongTime) page_.slice(kIdleSlice);
  timer_.set(pause_);
}

void Compressor::wake() {
  if (looking_) return look_again();
  if (around_.pending()) return rest(true);
  first_look_ = looker_.look(clock_.now(), false);
  if (!first_look_.idle) return rest(true);
  looking_ = true;
  callbacks_ = loop_.callbacks();
  timer_.set(0);
}

// A round of the loop lies between the looks: what had come for us by the first would have called back.
void Compressor::look_again() {
  if (loop_.callbacks() != callbacks_ + 1 || around_.pending()) return rest(true);
  auto now = clock_.now();
  auto look = looker_.look(now, true);
  met(look);
  if (!look.idle || look.threads != first_look_.threads) return rest(true);
  auto to = target(look, now);
  if (to == 0 || to - now < kWorthIt) return rest(true);
  if (auto furthest = around_.furthest(); furthest != 0 && to > furthest) return rest(true);
  if (to == around_.next_limit() && look.first == 0 && !still(look)) return rest(true);
  last_wait_ = look.last;
  jump(to);
}

// Where no wait of the client's ends, and none of ours for it, a limit is next, and it says that the client hangs.
bool Compressor::still(const Look& look) {
  auto real = clock_.now() - page_.ahead();
  if (look.threads != still_) {
    still_ = look.threads;
    still_since_ = real;
  }
  return real - still_since_ >= around_.patience;
}

Nanos Compressor::target(const Look& look, Nanos now) const {
  Nanos first = look.first;
  auto sooner = [&first](Nanos at) {
    if (at != 0 && (first == 0 || at < first)) first = at;
  };
  if (auto left = loop_.client_timer()) sooner(now + *left);
  sooner(around_.next_limit());
  return first;
}

void Compressor::jump(Nanos to) {
  auto at = clock_.now();
  auto by = to - at;
  if (by <= 0) return rest(false);  // the looks took until then
  page_.move(by);
  page_.slice(kSlice);
  loop_.clock_moved(by);
  jumps.push_back({at, by});
  since_jump_ = at + by - page_.ahead();
  rest(false);
  around_.moved();
}

void Compressor::met(const Look& look) {
  auto real = clock_.now() - page_.ahead();
  auto name = [this, real](pid_t process, bool registered) {
    if (process == 0 || real_.contains(process)) return;
    auto& met = met_.try_emplace(process, Met{.since = real}).first->second;
    // The latest that can be read: it may execute something else, and be gone when it has been met for long enough.
    if (auto line = describe_unmoved(process, registered); !line.starts_with('[')) met.line = std::move(line);
    if (real - met.since >= kNoticed) real_[process] = met.line;
  };
  for (auto process : look.foreign) name(process, false);
  name(look.real, true);
}

std::vector<std::string> Compressor::real_time() const {
  std::vector<std::string> all;
  for (auto& [process, line] : real_)
    if (!line.empty()) all.push_back(line);
  return all;
}

}  // namespace retrial::proxy

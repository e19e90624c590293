#include "trace/calls/polls.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "trace/calls/correlator_keys.h"
#include "trace/profiles/message.h"
#include "trace/profiles/profile.h"

namespace retrial::trace {
namespace {

constexpr Nanos kLeast = kSecond;              // what is closer together is a loop's or a test's own pace
constexpr Nanos kPace = 100 * kMillisecond;    // what looks again sooner has no pace of its own
constexpr Nanos kNoPause = 10 * kMillisecond;  // no pace of a look: it does not even let others run
constexpr Nanos kTries = kSecond;              // OAuth's device flow asks every 5 s (RFC 8628 3.5)
constexpr Nanos kHurry = 20;                   // a look comes that much sooner only where it does not wait for its turn
// What says by its name that it comes again and again, whatever it holds: POST /vans/7/heartbeat.
bool is_heartbeat(const Exchange& e) {
  static constexpr std::array<std::string_view, 11> kNames{"heartbeat", "heartbeats", "beat",  "ping",
                                                           "keepalive", "keep-alive", "pulse", "renew",
                                                           "refresh",   "extend",     "touch"};
  auto parts = message::segments(message::path_of(e.target));
  return !parts.empty() && std::ranges::find(kNames, parts.back()) != kNames.end();
}

// The same request of one process at equal intervals, whatever comes between: a job a minute.
class Beat {
 public:
  // Answers its interval where it keeps time.
  std::optional<Nanos> next(const Exchange& e, bool good, Nanos least) {
    if (good_ && e.begun >= told_) {
      auto interval = e.begun - begun_;
      least_ = intervals_++ ? std::min(least_, interval) : interval;
      most_ = std::max(most_, interval);
    } else {
      intervals_ = 0, most_ = 0;
    }
    begun_ = e.begun, told_ = e.told, good_ = good;
    bool steady = intervals_ >= kIntervals && least_ >= least && most_ <= least_ + least_ / kSteadiness;
    return steady ? std::optional(least_) : std::nullopt;
  }

 private:
  static constexpr int kIntervals = 3, kSteadiness = 5;
  Nanos begun_ = 0, told_ = 0, least_ = 0, most_ = 0;
  bool good_ = false;
  int intervals_ = 0;
};

}  // namespace

std::map<std::uint64_t, Nanos> polls_of(const Run& run, const Lessons& lessons) {
  struct Last {
    std::uint64_t place = 0, digest = 0;
    Nanos told = 0;
    bool good = false;
    int repeats = 0;
    const Exchange* e = nullptr;
  };
  auto answered_alike = [](const Exchange& a, const Exchange& b) {
    return !a.response_sample.empty() && a.client_status == b.client_status && a.response_sample == b.response_sample;
  };
  std::unordered_map<std::int32_t, Last> last;  // of each process
  std::unordered_map<std::uint64_t, Beat> beats;
  std::map<std::uint64_t, Nanos> polls;
  for (auto& e : run.exchanges) {
    auto& before = last[e.pid];
    auto place = mix(place_key(e), part_of(e));
    bool again = before.place == place && before.digest == e.request_digest && before.good && e.begun >= before.told &&
                 e.tag.statement == before.e->tag.statement &&
                 message::guarding_key(e) == message::guarding_key(*before.e);
    // Who asks at once for what is not there, and is told so again, does not wait until it is.
    bool at_once = again && told_failed(*before.e) && told_failed(e) && e.begun - before.told < kNoPause;
    // Nor does who sends a write again that was refused, before a look's least pace has passed: he tries again.
    bool tries = again && told_failed(*before.e) && told_failed(e) && profile_of(e).repeat(e) != Repeat::safe &&
                 e.begun - before.told < kTries;
    int repeats = again && !at_once && !tries ? before.repeats + 1 : 0;
    // A write that is made twice with the same data is two writes, and what is read twice to the same answer was read
    // twice: who polls has waited for another one. What goes on and on is a poll.
    bool twice = profile_of(e).repeat(e) != Repeat::safe || (again && answered_alike(*before.e, e));
    bool good = e.ending == Ending::answered && (!told_failed(e) || settled(e));
    bool named = is_heartbeat(e);
    auto& beat = beats[mix(mix(place, named ? 0 : e.request_digest), static_cast<Key>(e.pid))];
    auto interval = beat.next(e, good, named ? kNoPause : kLeast);
    if (interval || repeats >= (twice ? 2 : 1)) {
      auto pause = again ? e.begun - before.told : *interval;
      auto [it, fresh] = polls.try_emplace(poll_key(e, lessons.rename(e.operation)), pause);
      it->second = std::min(it->second, pause);
    }
    before = {place, e.request_digest, e.told, good, repeats, &e};
  }
  return polls;
}

bool hurries_beside(Nanos pace, Nanos pause) { return pace >= kPace && pause * kHurry < pace; }

}  // namespace retrial::trace

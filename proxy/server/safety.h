#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "policies/chance.h"
#include "proxy/server/meter.h"

namespace retrial::proxy {

// What a service may bear. 0 is no bound.
struct Bounds {
  std::uint32_t faults_per_minute = 0;  // at most; beyond it requests pass
  policies::Share faults_share = 0;     // of its requests of the last minute, at most
  policies::Share own_errors = 0;       // of its exchanges of the last minute: more, and all faults are halted
  Nanos own_latency = 0;                // where more than a tenth of its answers took longer, the same
  bool operator==(const Bounds&) const = default;
};

struct SafetySettings {
  bool armed = true;                              // from the start on; else it observes until resume()
  Nanos ttl = 0;                                  // how long it stays armed unless renewed; 0: for ever
  Bounds bounds;                                  // of services that are not in `of`
  std::map<std::string, Bounds, std::less<>> of;  // by "host:port"
};

// Whether faults are injected at all, and how many a service may still bear. One for the loops of a server together.
//
//   observing --resume--> armed --halt, time over, bound passed--> halted --resume--> armed
//
// Loops ask on() for every request, and take() for every fault; both from any thread. The rest is for one thread, the
// server's: it calls look() a few times a second.
class Safety {
 public:
  enum class Mode : std::uint8_t { observing, armed, halted };
  static constexpr std::uint64_t kLeastRequests = 20;  // of a minute, before a service is judged by its bounds
  static constexpr Nanos kMinute = 60 * kSecond, kStep = 5 * kSecond;  // a minute ago is known to within a step

  Safety(SafetySettings settings, const Clock& clock);

  bool on() const { return on_.load(std::memory_order_relaxed); }
  // Takes one fault off what this service may bear; false: it may bear none now, or faults are halted. `meters` count
  // its requests; null: there are none, and a share of none is none.
  bool take(std::string_view service, const Meters* meters);

  struct State {
    Mode mode = Mode::observing;
    std::string why;  // halted: in one line
    Nanos since = 0;  // clock's now
    Nanos until = 0;  // armed: when it will be halted; 0: never
    Nanos ttl = 0;
  };
  State state() const;
  void resume(Nanos ttl);                // also where it is armed: for that long from now on; 0: as settings say
  void halt(const std::string& why);     // on() is false when it returns
  void change(SafetySettings settings);  // bounds and ttl, from now on; the mode stays
  // Halts where the time is over or a bound is passed, and says why in one line; counts are those of all loops so far.
  std::optional<std::string> look(const std::vector<Meter::OfService>& counts);
  // What take() has refused since it was last asked: one line a service.
  std::vector<std::string> refused();
  // Of the last minute, as far as look() has seen it.
  struct Recent {
    std::string service;
    ServiceCounts counts;
    std::uint64_t faults = 0;  // taken
    Bounds bounds;
  };
  std::vector<Recent> recent() const;

 private:
  struct Service {
    struct Look {
      Nanos at = 0;
      ServiceCounts counts;
    };
    std::vector<Look> looks;  // of the last minute, one in kStep, the oldest first
    ServiceCounts last;
    std::array<std::uint32_t, 60> faults{};  // by second
    std::int64_t second = 0;                 // that faults go up to
    std::uint64_t refused = 0;
    std::string why;
  };
  const Bounds& bounds_of(std::string_view service) const;
  static std::uint64_t roll(Service& service, std::int64_t second);  // faults of the last minute
  std::optional<std::string> passed(const std::string& name, const Service& service, const Bounds& bounds) const;
  void turn(Mode mode, std::string why, Nanos until);

  const Clock& clock_;
  std::atomic<bool> on_{false};
  std::atomic<Nanos> until_{0};
  mutable std::mutex mutex_;
  SafetySettings settings_;
  State state_;
  std::map<std::string, Service, std::less<>> services_;
};

std::string_view show(Safety::Mode mode);

}  // namespace retrial::proxy

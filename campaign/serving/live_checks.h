#pragma once
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <queue>
#include <string>
#include <unordered_map>
#include <vector>

#include "checkers/monitor.h"
#include "proxy/server/log.h"
#include "trace/exchange.h"

namespace retrial::campaign {

// Holds checkers against what passes `serve`. An exchange is known when it has ended; so they are put in order kLag
// later, and what fails is told kSettled later, if no write has come to light by then that was under way at the time:
// such a one, or a part of the recording that was lost, ends what is known of its service. At most kMost exchanges
// that concern checkers wait; more are let go, and all states with them. Reads are not waited for beyond kMostReads:
// who looks less often tells nothing false, and of many requests a second looking costs a bounded share of a core.
// take() and look() on one thread.
class LiveChecks {
 public:
  LiveChecks(const std::vector<checkers::Checker>& checkers, proxy::Log& log);  // a copy is kept
  LiveChecks(const LiveChecks&) = delete;

  void take(const trace::Exchange& e);
  void look(Nanos now);  // on the run's clock
  void lost();           // parts of what passed were not seen
  void end();            // nothing more comes: what still waits is told, and how much was looked at

  struct Count {
    std::string checker;
    std::uint64_t passed = 0, failed = 0;  // failed: that were told
  };
  std::vector<Count> counts() const;  // from any thread

  static constexpr Nanos kLag = 2 * kSecond, kSettled = 60 * kSecond;
  static constexpr std::size_t kMost = 5000, kMostReads = kMost / 2, kMostWaiting = 1000;

 private:
  struct Step {
    Nanos at = 0;
    bool ends = false;
    std::uint64_t exchange = 0;
    bool operator<(const Step& other) const {  // the earliest on top
      return std::tie(at, ends, exchange) > std::tie(other.at, other.ends, other.exchange);
    }
  };
  struct Waiting {
    std::size_t checker = 0;
    std::string service, says;
    Nanos begun = 0, told = 0;  // of what was judged
    std::vector<std::uint64_t> evidence;
  };
  void start();
  void outcome(const checkers::Outcome& o);
  void tell(const Waiting& failure);

  std::size_t times_lost_ = 0;
  const std::vector<checkers::Checker> checkers_;
  proxy::Log& log_;
  std::optional<checkers::Monitor> monitor_;
  std::unordered_map<std::uint64_t, trace::Exchange> held_;
  std::priority_queue<Step> steps_;
  std::list<Waiting> waiting_;
  Nanos reached_ = 0;  // all until then is in order
  mutable std::mutex mutex_;
  std::vector<Count> counts_;
};

}  // namespace retrial::campaign

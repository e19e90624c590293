#pragma once
#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "proxy/out/access_log.h"
#include "proxy/server/log.h"
#include "proxy/server/meter.h"
#include "trace/calls/correlator.h"
#include "trace/recording/segment_follower.h"
#include "trace/run.h"

namespace retrial::campaign {

// What comes of an operation of a service, call by call.
struct OperationCounts {
  std::uint64_t calls = 0, attempts = 0, retries = 0, failed = 0;  // failed: attempts whose client was told so
  std::uint64_t gap_sum = 0;                                       // ns
  std::array<std::uint64_t, proxy::kTimeBuckets> gaps{};           // before retries, as proxy::bucket_of has them
};

// Reads what is recorded while it is recorded, on a thread of its own: which call an exchange belongs to, what is seen
// of operations and call sites, the last exchanges, and whoever wants each of them (access log, traces, judge). The
// loops that record do not know of it. It reads while somebody is there to whom it matters: for as long as the process
// lives, or for kPatience after want().
class Watcher {
 public:
  struct Setting {
    std::filesystem::path folder;
    trace::Run run;
    bool always = false;                               // else only where it is wanted
    std::set<std::string, std::less<>> services = {};  // addresses of configured ones, each its own
  };
  static constexpr Nanos kPatience = 30 * kSecond;
  static constexpr std::size_t kLast = 200;            // exchanges that are kept to be shown
  static constexpr std::size_t kMostOperations = 500;  // beyond it all others count as one
  static constexpr std::size_t kMostCalls = 50'000;    // whose failure is remembered, for gaps

  // Called on its thread.
  using Take = std::function<void(const trace::Exchange& e, const proxy::WallTime& wall)>;
  Watcher(Setting setting, std::vector<Take> takers, std::function<void()> after_each_look, proxy::Log& log);
  ~Watcher();  // reads what is left, where it always does
  Watcher(const Watcher&) = delete;

  // These from any thread.
  void want();
  std::vector<std::string> last(std::size_t most) const;  // exchanges as JSON, the newest first
  struct Operation {
    std::string service, operation, site;  // site: "" where it is not known
    OperationCounts counts;
  };
  std::vector<Operation> operations() const;
  std::uint64_t lost() const { return lost_; }  // parts of the trace that were gone before they were read
  std::uint64_t seen() const { return seen_; }  // exchanges
  bool always() const { return setting_.always; }

 private:
  void run();
  void look();
  void head(trace::Exchange& e);
  void over(std::unique_ptr<trace::Exchange>& held);
  void show();
  static std::uint64_t key_of(const trace::Exchange& e);

  Setting setting_;
  std::vector<Take> takers_;
  std::function<void()> after_;
  proxy::Log& log_;
  proxy::WallTime wall_;

  mutable std::mutex mutex_;  // of all below
  std::condition_variable wake_;
  bool ending_ = false;
  using Held = std::unique_ptr<trace::Exchange>;
  std::deque<Held> last_;  // the newest first
  struct Counted {
    Operation shown;
    OperationCounts counts;  // its thread's own, shown after each look
    bool changed = false;
  };
  std::unordered_map<std::uint64_t, Counted> operations_;  // by a hash of its three names; only its thread adds one
  std::atomic<std::uint64_t> lost_{0}, seen_{0};
  std::atomic<std::int64_t> wanted_until_{0};

  // Its thread only.
  std::vector<Counted*> changed_;  // since they were shown
  std::vector<Held> ended_;        // since then, that are to be shown
  std::vector<Held> rooms_;        // of those that are shown no more
  Counted& counted(const trace::Exchange& e);
  std::unique_ptr<trace::SegmentFollower> follower_;
  std::unique_ptr<trace::Correlator> correlator_;
  // What a request is, by all that says so: the same texts are not looked at again. At most kMostKnown.
  struct Known {
    std::string profile, operation;
  };
  static constexpr std::size_t kMostKnown = 4096;
  std::unordered_map<std::uint64_t, Known> known_;  // by a Fold of them
  void name(trace::Exchange& e);
  std::unordered_map<std::uint64_t, Nanos> failed_at_;  // of calls whose last attempt has failed: when it was told
  std::deque<std::uint64_t> order_;                     // of these, the oldest first
  bool failed_ = false;
  std::thread thread_;
};

// An exchange as /v1/exchanges tells it: times in ms from its begin, for a waterfall.
std::string exchange_json(const trace::Exchange& e, const proxy::WallTime& wall);

}  // namespace retrial::campaign

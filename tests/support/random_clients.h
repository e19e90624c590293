#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "trace/calls/correlator.h"

namespace retrial::trace {

// Which exchange of its run (by place) an exchange goes on from, as whoever sent it knows.
struct Truth {
  std::int64_t before = -1;  // -1: it begins a call
  bool leg = false;          // a redirect that was followed: the same attempt
};

// One run of made-up clients against made-up services, correlated online as it goes, with the truth beside each
// exchange. What is said of the world here is as nasty as traffic gets: see `workloads` in the source.
class RandomRun {
 public:
  explicit RandomRun(std::uint64_t seed);
  Run run;
  std::vector<Truth> truth;  // of run.exchanges
  std::string workload;      // what its clients did
  Lessons lessons;           // of a reference run, where there was one

 private:
  enum class Wait : std::uint8_t { none, fixed, exponential, some_jitter, full_jitter, first_at_once };
  enum class Id : std::uint8_t { none, kept, changed, session, key_of_writes };
  enum class Counter : std::uint8_t { none, aws, stainless };
  // How one client library of the run behaves.
  struct Style {
    bool site = false, call_id = false;
    Id id = Id::none;
    Counter counter = Counter::none;
    bool reuses = false;   // connections
    bool resends = false;  // a transport below sends again at once when a connection breaks
    Wait wait = Wait::none;
    Nanos base = 0;
    int cap = 1, layers = 1;
    bool on_status = true, on_loss = true;
    bool stamps = false;  // a time in the body, made anew for each attempt
  };
  struct Request {
    std::string method = "GET", target = "/", body;
    std::vector<Header> headers;
    std::string service = "127.0.0.1:8001", host = "localhost:8001";
    int site = 0;
    bool failover = false;  // at the next port when it fails
    Nanos latency = 2 * kMillisecond;
  };
  struct Sending;
  using Done = std::function<void(bool)>;

  bool chance(double p) { return std::uniform_real_distribution<>(0, 1)(random_) < p; }
  std::int64_t any(std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(random_);
  }
  Nanos around(Nanos nanos) { return any(nanos / 2, nanos * 3 / 2) + any(0, 300'000); }
  void at(Nanos when, std::function<void()> what) {
    events_.push({std::max(when, now_), ++sequence_, std::move(what)});
  }

  Style any_style();
  void call(const Request& request, Done done);
  void attempt(std::shared_ptr<Sending> s);
  void end(std::size_t exchange, std::shared_ptr<Sending> s);
  void go_on(std::size_t exchange, const std::shared_ptr<Sending>& s, bool success);
  Nanos delay(const Sending& s);
  bool fails(const Exchange& e);
  std::uint64_t connection();

  void play(std::size_t what);
  void items(int left, int worker, int kind);
  void poll(int left, Nanos interval, const Request& request);
  void repeat(int left, const Request& request);

  struct Event {
    Nanos when;
    std::uint64_t sequence;
    std::function<void()> what;
    bool operator<(const Event& other) const {
      return std::pair(when, sequence) > std::pair(other.when, other.sequence);
    }
  };
  std::mt19937_64 random_;
  std::unique_ptr<Correlator> correlator_;
  std::priority_queue<Event> events_;
  std::uint64_t sequence_ = 0, connections_ = 0, ids_ = 0, call_ids_ = 0;
  std::vector<std::uint64_t> idle_;
  Nanos now_ = kSecond;
  Style style_;
  // What goes wrong: nothing (a reference run), one call in so many, the first attempts of every call, any attempt.
  enum class Trouble : std::uint8_t { none, some_calls, all_calls, any_attempt } trouble_ = Trouble::none;
  double failing_ = 0, lost_ = 0;
  int failures_ = 0;                // of a call's attempts; 0: all
  std::set<std::uint64_t> struck_;  // calls, as the correlator has them: so do those who plan faults
  std::int32_t pid_ = 100;
};

}  // namespace retrial::trace

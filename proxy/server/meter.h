#pragma once
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "trace/exchange.h"

namespace retrial::proxy {

// A count that one thread keeps and any thread reads.
class Count {
 public:
  void add(std::uint64_t n = 1) { value_.store(get() + n, std::memory_order_relaxed); }
  std::uint64_t get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

// A length of time by its bucket, a quarter of a power of two wide: what it was to within a fifth. From 4 us to a day.
inline constexpr std::size_t kTimeBuckets = 140;
constexpr std::size_t bucket_of(Nanos time) {
  auto units = static_cast<std::uint64_t>(time < 0 ? 0 : time) >> 10;
  if (units < 4) return static_cast<std::size_t>(units);
  auto log = static_cast<std::size_t>(std::bit_width(units)) - 1;
  auto at = (log - 1) * 4 + ((units >> (log - 2)) & 3);
  return at < kTimeBuckets ? at : kTimeBuckets - 1;
}
constexpr Nanos least_above(std::size_t bucket) {  // the least time that is in a later one
  auto next = bucket + 1;
  if (next < 4) return static_cast<Nanos>(next << 10);
  return static_cast<Nanos>((4 + next % 4) << (next / 4 - 1)) << 10;
}

// What was seen of one service. As values: what a Meter has counted so far, or the difference of two such.
struct ServiceCounts {
  std::uint64_t requests = 0;    // exchanges that are over
  std::uint64_t planned = 0;     // of these, that a fault was chosen for
  std::uint64_t fired = 0;       // of these, whose fault was put on the wire
  std::uint64_t answered = 0;    // by the service itself
  std::uint64_t own_errors = 0;  // that no fault of ours brought about: its own failing status, or no answer of it
  std::uint64_t client_left = 0;
  std::uint64_t refused = 0;               // by us, of our own accord: they say nothing of the service
  std::array<std::uint64_t, 6> classes{};  // told to clients: 1xx to 5xx; at 0: no status at all
  std::uint64_t time = 0;                  // ns, sum of its answers': from the whole request to the answer's first byte
  std::array<std::uint64_t, kTimeBuckets> times{};  // the same by buckets

  ServiceCounts& operator+=(const ServiceCounts& other);
  ServiceCounts& operator-=(const ServiceCounts& earlier);
  // The time that this share (0 to 1) of its answers took at most; 0: none came.
  Nanos quantile(double share) const;
};

// Counts what becomes of the exchanges of one loop, service by service, without a lock on the way. Beyond
// kMostServices (those of a forward proxy are as many as clients name) all others count as kOthers.
class Meter {
 public:
  static constexpr std::size_t kMostServices = 200;
  static constexpr std::string_view kOthers = "(others)";
  Meter();
  ~Meter();
  Meter(const Meter&) = delete;

  void over(const trace::Exchange& e);  // loop thread only

  struct OfService {
    std::string service;
    ServiceCounts counts;
  };
  // These from any thread.
  void read(std::vector<OfService>& into) const;  // adds to what is there of a service
  std::uint64_t requests_of(std::string_view service) const;

 private:
  struct Row;
  Row& row_of(const std::string& service);
  Row& find(std::string_view service);
  static void answered(Row& row, const trace::Exchange& e);
  static void over_unusual(Row& row, const trace::Exchange& e);

  static constexpr std::size_t kRecent = 16;
  std::array<Row*, kRecent> recent_{};  // by a hash of the service
  mutable std::mutex mutex_;            // of rows_; rows themselves stay where they are
  std::vector<std::unique_ptr<Row>> rows_;
};

// One for each loop.
class Meters {
 public:
  explicit Meters(std::size_t loops);
  Meter& of(std::size_t loop) { return *meters_[loop]; }
  std::vector<Meter::OfService> read() const;  // of all loops together
  std::uint64_t requests_of(std::string_view service) const;

 private:
  std::vector<std::unique_ptr<Meter>> meters_;
};

}  // namespace retrial::proxy

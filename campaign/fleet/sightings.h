#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "trace/exchange.h"

namespace retrial::campaign {

// An exchange that two instances both recorded, one as what it sent out and one as what came in, is told by what both
// saw: the application's traceparent, else x-request-id, with method and path. Nothing where neither is there.
std::optional<std::uint64_t> shared_key(const trace::Exchange& e);

// One exchange as one clock saw it. Nanoseconds of that clock.
struct Sighting {
  std::uint64_t key = 0;
  std::uint32_t clock = 0;
  Nanos begun = 0, answered = 0;
};

// Exchanges of a fleet that others may have seen too, in memory that does not grow with it: where there are more than
// `most`, those of half of all keys are let go, everywhere the same ones.
class Sightings {
 public:
  explicit Sightings(std::size_t most = 2u << 20) : most_(most) {}
  void take(std::uint32_t clock, const trace::Exchange& e);
  std::vector<Sighting> give() { return std::move(all_); }

 private:
  bool kept(std::uint64_t key) const { return key * 0x9e3779b97f4a7c15ull <= limit_; }
  std::size_t most_;
  std::uint64_t limit_ = UINT64_MAX;
  std::vector<Sighting> all_;
};

}  // namespace retrial::campaign

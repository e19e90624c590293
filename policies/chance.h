#pragma once
#include <cstdint>

#include "trace/fault_spec.h"

namespace retrial::policies {

// Chance without a state: what is drawn is a function of (seed, rule, counter) alone, so that a run is told again by
// its seed, whatever else was decided in between. Philox4x32-10 (Salmon et al., Parallel Random Numbers: As Easy as 1,
// 2, 3, SC'11), the seed as its key.
struct Draw {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  bool operator==(const Draw&) const = default;
};
Draw draw(std::uint64_t seed, std::uint64_t rule, std::uint64_t counter);

// What a rule draws from. Each loop that applies a rule has one of its own, with a `rule` of its own. Whoever owns the
// seed prints it.
struct Dice {
  std::uint64_t seed = 0;
  std::uint64_t rule = 0;
  std::uint64_t counter = 0;
  Draw roll() { return draw(seed, rule, counter++); }
};

// A share of all draws, in millionths of a percent.
using Share = std::uint32_t;
inline constexpr Share kPercent = 1'000'000;
inline constexpr Share kAlways = 100 * kPercent;
// Of the 2^64 values of `bits`, floor or ceiling of exactly that share: all 64 bits are compared.
bool happens(Share share, std::uint64_t bits);

// The fault with its delay drawn from its spread (at most an hour); any other fault as it is.
trace::FaultSpec with_delay(trace::FaultSpec fault, std::uint64_t bits);

}  // namespace retrial::policies

#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trace/run.h"

namespace retrial::trace {

// What a run was made to take in, and what that cost. One point of a curve of growth (WEDGE: what is contrasted).
struct Load {
  enum class Of : std::uint8_t { entries, pages, errors, bytes, drip, silence } of{};
  // How many times as long lists were; how many pages, or errors, were added; how long the body was; for how many
  // milliseconds the answer dripped, about; of silence nothing.
  std::int64_t size = 0;
  std::uint64_t requests = 0;  // that the run made, to whichever service
  Nanos waited =
      0;  // in the client's time, of the call that took longest: from its first faulted request to the last one's end
  Nanos cpu = 0;             // Run::cpu
  std::uint64_t memory = 0;  // Run::memory
};

// Of a run with `grow`, `another-page`, `error`, `lengthen`, `drip` or `stall`: none where no fault has fired, or
// several kinds have.
std::optional<Load> load_of(const Run& run);

// Bytes of an HTTP/1 answer, head and all, about.
std::int64_t length_of_answer(const Exchange& e);

// One cost over the size of what brought it.
struct Measured {
  double size = 0;
  double cost = 0;
};
// A power law, by least squares over the logarithms: cost ~ size ^ exponent. `agreement`: R squared, 1 is exact.
struct PowerLaw {
  double exponent = 0;
  double agreement = 0;
};
// Of three points or more, each size and cost above 0.
PowerLaw fit(std::span<const Measured> points);

}  // namespace retrial::trace

#include <cstdint>
#include <cstdlib>

#include "policies/fault_plan.h"

// Whatever parses is shown in a form that parses back to the same plan.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace retrial::policies;
  auto plan = parse_fault_plan({reinterpret_cast<const char*>(data), size});
  if (!plan) {
    if (plan.error().what.empty()) std::abort();
    return 0;
  }
  auto again = parse_fault_plan(show(*plan));
  // What is shown is longer than what was read where a count or `pass` was implied: then it may pass the longest
  // length.
  if (again ? *again != *plan : show(*plan).size() <= 4096) std::abort();
  Dice dice{.seed = size};
  for (int attempt : {1, 2, 1000, 2'000'000'000})
    for (retrial::Nanos elapsed : {retrial::Nanos{0}, 30 * retrial::kSecond, retrial::Nanos{1} << 62}) {
      auto fault = choose(*plan, attempt, elapsed, dice);
      if (fault.delay < 0 || fault.delay > 3600 * retrial::kSecond) std::abort();
    }
  return 0;
}

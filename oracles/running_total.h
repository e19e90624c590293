#pragma once
#include <string>

#include "trace/comparing/comparison.h"

// Answers that tell a total, to which each request adds what it sends: {"sku": "cap", "change": 3} is answered
// {"count": 10}, and then {"sku": "cap", "change": -9} {"count": 1}.
namespace retrial::oracles {

// Both attempts are told the same total, though each sends an amount that is added elsewhere in this test: the second
// added nothing ("both answers say \"count\": 10"). Empty: that is not so, or not seen.
std::string same_total(const trace::Comparison& c, const trace::Exchange& before, const trace::Exchange& next);

}  // namespace retrial::oracles

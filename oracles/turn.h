#pragma once
#include <optional>
#include <string>
#include <vector>

#include "oracles/oracle.h"

// Two operations on one thing, of which the first was held: did they come the other way round, and what came of it?
namespace retrial::oracles {

struct Turn {
  enum class How : std::uint8_t {
    turned,  // the service had answered the second before it heard of the first, if it ever did
    raced,   // the second was sent while the first was held, and not answered by then
    waited,  // the second was sent after that, or not at all
  };
  How how = How::waited;
  const trace::Exchange *first = nullptr, *second = nullptr;                // in the case; second: null where it waited
  const trace::Exchange *first_before = nullptr, *second_before = nullptr;  // in the reference
};

// Of a call that was held, the pair that says the most. None: it was not held, or nothing concerns it.
std::optional<Turn> turn_of(const trace::Comparison& c, const trace::Call& held);

// Errors that say that something was missing, in the way or another's (404, 409, 410, 412, 423) on that resource, which
// its operation does not get in the reference and which nobody got over: neither did the same operation go well later,
// nor did the same strand do anything there. A DELETE of what is gone has what it wants.
std::vector<const trace::Exchange*> errors_of(const trace::Comparison& c, const Turn& turn);

// What was done on that resource more often than in the reference (created, ended, released), or not at all any more:
// "POST /jobs/{id}/complete was carried out twice, without the fault once".
std::vector<std::string> changes_of(const trace::Comparison& c, const Turn& turn);

// "PUT /jobs/{id} at src/jobs.py:12 make"
std::string named_at(const trace::Exchange& e);

}  // namespace retrial::oracles

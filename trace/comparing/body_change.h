#pragma once
#include <cstdint>
#include <string>

#include "trace/exchange.h"

namespace retrial::trace {

// What a later attempt changed that an attempt should not.
struct Change {
  bool body = false;       // its content
  bool shrunk = false;     // its content: of it, or of a value in it, nothing or a part was sent again
  bool method = false;     // GET for POST
  bool target = false;     // path or query
  bool key = false;        // the key or token by which the service would know it again, in a header or in the body
  bool condition = false;  // If-Match and its like, or the part of the thing that is meant
  std::string what;        // the first of these in words: "\"amount\" went from 1 to 2"; empty: nothing changed

  explicit operator bool() const { return !what.empty(); }
};

// Compares two attempts of one call, the earlier one first. Not counted as changes: headers that are not named above
// (Authorization, Date, Expect, User-Agent, counters, ids of attempts and traces); of target and body signatures,
// nonces, dates, ids of requests and counters, by their names; a time that moved on by no more than the time between
// the two; a multipart boundary; a Range that goes on where the last answer was cut off. Of a body that was not read
// whole, or is packed in a way that cannot be read, nothing is said. Bodies are known by their digest and their first
// kSampleBytes, with secrets taken out.
Change change_between(const Exchange& before, const Exchange& now);

}  // namespace retrial::trace

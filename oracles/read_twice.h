#pragma once
#include <optional>
#include <string>

#include "trace/comparing/comparison.h"

// A list that was begun anew after a page had failed, and is written with what was read before: evidence of
// silent-wrong-result.
namespace retrial::oracles {

struct CountedTwice {
  const trace::Call* write = nullptr;
  std::string again;  // "what had been read before it was read again (4 entries)"
  std::string how;    // "\"orders\": 40, and 30 without the fault"
};
// Pages that were read well before this call failed and once more after it, each once without the fault; and then a
// write whose number, or whose list, is larger than without the fault by just as many entries, or by their sum.
std::optional<CountedTwice> counted_twice(const trace::Comparison& c, const trace::Call& failed);

// A body or a stream that broke and was read again from its beginning; and then a write of as many bytes, or records,
// as it has, and those that had come before on top.
std::optional<CountedTwice> counted_with_part(const trace::Comparison& c, const trace::Call& read);

}  // namespace retrial::oracles

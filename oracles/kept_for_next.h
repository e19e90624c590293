#pragma once
#include <optional>
#include <string>

#include "oracles/oracle.h"

namespace retrial::oracles {

// What the next test got of a failure that was kept.
struct KeptForNext {
  std::string test;     // the next; empty: the same once more
  std::string error;    // which both ended with, in short
  bool rested = false;  // trace::kRest lay between: it is kept for longer than a breaker or a cache keeps it on purpose
};

// The test of this call failed by its fault, which may pass. The test that was executed after it in the same process
// (Run::followed_by), and met no fault, ended with the very same error, though without the fault both pass, and nobody
// asked for that operation: the failure is kept where the next one looks. An assertion is the same where the next test
// asked nobody for anything. Not by a breaker's words, nor where attempts may have come to nobody, nor of a write.
std::optional<KeptForNext> kept_for_next(const ComparedCase& compared, const trace::Comparison& c,
                                         const trace::Call& call);

}  // namespace retrial::oracles

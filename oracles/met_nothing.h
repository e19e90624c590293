#pragma once
#include "oracles/oracle.h"

// Evidence of silent-wrong-result: what the test was given in place of an answer that failed.
namespace retrial::oracles {

// Was this test given nothing (null, None, undefined) where this call's answer has a value else? An assertion that
// names both; or a line of the test's own that goes on with it. Where errors are values (Go) a nil says nothing.
bool met_nothing(const trace::Comparison& c, const trace::Call& call, const trace::Thrown& thrown);

}  // namespace retrial::oracles

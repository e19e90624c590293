#pragma once
#include <string>
#include <string_view>

#include "trace/comparing/comparison.h"

// A truth value that stands where a read failed: evidence of silent-wrong-result where no exception came of it.
namespace retrial::oracles {

// Did the test find one truth value in place of the other, and nothing beside it, where the statement of it that met
// the fault reads alone, by code of the application? Who writes may tell so that it was not done; who looks whether a
// service is well tells so that it is not.
bool read_denied(const trace::Comparison& c, const trace::Call& call, std::string_view test, std::string_view message);

// The function by which this assertion asks whether a thing is there ("exists", "hasKey"), if it is the one whose own
// request this call is, and it said no where the reference is told yes; else empty. Not where errors are values.
std::string denied_by(const trace::Comparison& c, const trace::Call& call, const trace::Thrown& thrown);

}  // namespace retrial::oracles

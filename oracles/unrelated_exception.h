#pragma once
#include "oracles/oracle.h"

// What that verdict is made of.
namespace retrial::oracles {

extern const Verdict kUnrelatedException;

// Where an attempt meets what an earlier one has done.
inline constexpr auto kLook =
    "Read a retry's conflict or not-found as a sign that the first attempt may have succeeded, and look before "
    "failing.";

// Of a command that says by its status alone that it failed, and what it asked for is done: its own first attempt is
// what the last one met, and it did not look.
void judge_exit_status(const ComparedCase& compared, const trace::Comparison& c, Judgement& judgement);

}  // namespace retrial::oracles

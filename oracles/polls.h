#pragma once
#include "oracles/oracle.h"

namespace retrial::oracles {

// Where nothing names a call and time does not tell either, what comes after a failure may be a retry or the next call:
// of a place where that is so of every call that met the fault it is said under not_judged, in place of notes. So it is
// at polls.
//
// A poll sends the same request again after a success (docs/decisions/0007). Where more was sent at its call site than
// without the fault, and no attempt could be told from the next look, what follows the fault may be either. That is
// said under not_judged, in place of notes on that call site and operation; findings on them stand. The reference shows
// what is a poll; where there is none, the run itself, if its process is known.
void leave_open(Cases cases, Judgement& judgement);
// Takes away what comparing call sites has found at such places: whether they send again is not known.
void drop_open(Cases cases, Judgement& judgement);

}  // namespace retrial::oracles

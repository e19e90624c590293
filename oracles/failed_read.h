#pragma once
#include "oracles/oracle.h"

// What was done though a read had failed, as if that had been an answer: evidence of silent-wrong-result.
namespace retrial::oracles {

// What is removed after this read had failed, by the application where it removes others, or several things, and
// without the fault is kept: it was taken for what is no longer there. Not what was made in this run.
struct Swept {
  const trace::Call* first = nullptr;  // null: there is none
  int things = 0;
};
Swept swept_after(const ComparedCase& compared, const trace::Comparison& c, const trace::Call& read);

// A write that the reference makes too, once it has asked the same several times until the answer was another; here the
// last that was asked failed, and told nothing: it was taken for the end of that wait.
struct EndOfWait {
  const trace::Call* write = nullptr;  // null: there is none
  std::size_t looks = 0;               // in the reference
};
EndOfWait ended_by_failure(const ComparedCase& compared, const trace::Comparison& c, const trace::Call& read);

// A PUT of the very thing that this read asked for, on no condition, which the reference does not make, and which holds
// another value than is there: it was taken for one that is not there. Not where it is read well before that. Null:
// there is none.
const trace::Call* put_over(const ComparedCase& compared, const trace::Comparison& c, const trace::Call& read);

}  // namespace retrial::oracles

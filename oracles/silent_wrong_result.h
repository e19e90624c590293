#pragma once
#include "oracles/failure.h"
#include "oracles/oracle.h"

// What that verdict is made of: one file a way to see it.
namespace retrial::oracles {

extern const Verdict kSilentWrongResult;

// What the application wrote after a read that failed, in a test that passed; and bodies and streams that were cut
// short and taken for whole.
void judge_what_came_after(const ComparedCase& compared, const trace::Comparison& c, Judgement& judgement);
// Of a command whose faulted calls were all answered well in the end, or met what they had done themselves, and which
// ended well: what --look reads then is not what it reads without the fault.
void judge_state_at_end(const ComparedCase& compared, const trace::Comparison& c, Judgement& judgement);
// An assertion of the test's own that failed under the fault and not without it.
void judge_assertion(const ComparedCase& compared, const trace::Comparison& c, const Failure& failure,
                     Judgement& judgement);

// A line of the test's own that failed on nothing where it has a value else.
void judge_nothing_given(const ComparedCase& compared, const trace::Comparison& c, const Failure& failure,
                         Judgement& judgement);

inline constexpr auto kWholeList =
    "A right client tells its caller that a page is missing, or gives what it has for a part: a list that ends where a "
    "page could not be read is no whole one.";

// Is the last attempt's body cut by the fault, where nothing but its end shows that it is whole? One that does not show
// by itself where it ends; of RPCs a stream that is read to its good end without the fault, and not left before.
bool cut_short(const trace::Comparison& c, const trace::Call& call);

}  // namespace retrial::oracles

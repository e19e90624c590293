#pragma once
#include <string>

#include "oracles/oracle.h"

// Of several steps one failed, and what the client then takes back in the same run is not what it should be: no other
// run need show that it can do so.
namespace retrial::oracles {

extern const Verdict kMissingCompensation;

// It was carried out, its client was told that it failed, took back what it had made before it, and looked neither
// whether it was done nor undid it. Possible: who takes nothing for done that he was not told may see to that
// elsewhere.
void judge_taken_back(const ComparedCase& compared, const trace::Comparison& c, const trace::Call& work,
                      Judgement& judgement);

// Of two steps of one name ("PUT /flights/t-1", "PUT /hotels/t-1") that the same function had made before it failed one
// was taken back, and the other not. Likely where one call site makes all of them.
void judge_half_taken_back(const ComparedCase& compared, const trace::Comparison& c, const trace::Call& work,
                           Judgement& judgement);

// One amount was taken in one place ("POST /accounts/a/debit") and did not come to the other ("POST
// /accounts/b/credit"), and nothing was done afterwards: it is nowhere. Possible where something was written
// before, from which somebody may go on.
void judge_given_nowhere(const ComparedCase& compared, const trace::Comparison& c, const trace::Call& work,
                         Judgement& judgement);

// "t-1" of "/flights/t-1".
std::string last_segment(const std::string& path);

}  // namespace retrial::oracles

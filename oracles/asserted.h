#pragma once
#include <algorithm>
#include <optional>
#include <string>

#include "oracles/evidence.h"
#include "oracles/failure.h"
#include "oracles/oracle.h"

// What an assertion of the test's own that failed under a fault may mean: one function a meaning, which says how sure
// it is and why, or nothing. silent-wrong-result goes by the first that says something.
namespace retrial::oracles {

// An assertion that failed, and what was seen of it where it is judged.
struct Asserted {
  const ComparedCase& compared;
  const trace::Comparison& c;
  const Failure& failure;
  const trace::Call& call;
  std::string text;  // of all that was told
  std::string done;  // what the fault did
  const std::string& message() const { return failure.outermost()->message; }
  std::string attempts() const { return counted(call.attempts.size(), "attempt"); }
  std::string ended_unheard() const {
    return done + ", " + attempts() + " ended in the fault, and no exception came of it";
  }
};
struct Said {
  trace::Confidence sure;
  std::string seen, why, advice = {};
};
inline trace::Confidence at_most_likely(trace::Confidence confidence) {
  return std::min(trace::Confidence::likely, confidence);
}
using Meaning = std::optional<Said>(const Asserted& a);

// The call recovered, or its repeat was refused: after_recovery.cc.
Meaning after_a_recovery, at_a_refused_repeat;
// An answer was read that was none, or the part of one: read_as_data.cc.
Meaning of_an_error_read_as_data, of_the_errors_length, of_a_cut_body;
// What was written after it says so: written_wrongly.cc.
Meaning by_an_error_written_as_data, by_what_is_written_with_less, by_what_is_written_with_other,
    by_what_is_written_as_it_says, by_what_is_written_instead;
// What the test was given in place of the answer says so: given_instead.cc.
Meaning of_a_kept_failure, of_the_unheard, of_a_walk, of_who_went_on, of_other_contents, of_a_denial, of_another_truth,
    of_another_value, of_nothing;

}  // namespace retrial::oracles

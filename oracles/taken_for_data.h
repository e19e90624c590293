#pragma once
#include <map>
#include <string>
#include <string_view>

#include "oracles/failure.h"

// A failure that was taken for an answer: evidence of silent-wrong-result where no exception came of it.
namespace retrial::oracles {

// The words of a text, case folded, and how often each stands there. A word is letters and digits.
using Words = std::map<std::string, int>;
Words words_in(std::string_view text);

// The attempt whose injected error the test's assertion finds as a result: the text shows the most of its body, and
// beside that neither its status nor a word for a failure. Null: there is none, or somebody was told.
const trace::Exchange* error_read_as_data(const trace::Comparison& c, const Failure& failure);

// The same of a write of the application's own that the reference makes too. Null: there is none.
const trace::Call* error_written_as_data(const trace::Comparison& c, const trace::Call& read);

// Does this text, but for the ends of words, speak of a failure ("failed", "errors")?
bool tells_failure(std::string_view text);
// The same, or of something that is often one ("status", "code", "reason")?
bool may_tell_failure(std::string_view text);
// The same of a body, but for members that it has without the fault, too: "status": "issued".
bool may_tell_failure_beside(std::string_view usual, std::string_view now);

}  // namespace retrial::oracles

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

// Does this text, but for the ends of words, speak of a failure ("failed", "errors")?
bool tells_failure(std::string_view text);

// Writes after this call that the reference makes too, and whose bodies lack here what they hold there (a list is
// empty, a member gone, a number 0), without a word of a failure.
struct Less {
  const trace::Call* first = nullptr;  // null: there are none
  int writes = 0;
  bool mostly = false;  // of one of them more is gone than is left
};
Less written_with_less(const trace::Comparison& c, const trace::Call& call);

// A write of the application's own after this read had failed, carried out and in no way asked for in the reference,
// that tells of no failure: it was taken for an answer that holds nothing. Null: there is none.
const trace::Call* written_instead(const ComparedCase& compared, const trace::Comparison& c, const trace::Call& call);

}  // namespace retrial::oracles

#pragma once
#include "oracles/oracle.h"

// What was written after a read had failed, though nobody was told of that: evidence of silent-wrong-result.
namespace retrial::oracles {

// Writes after this call that the reference makes too, and whose bodies lack here what they hold there (a list is
// empty, a member gone, a number 0; of a read that was cut: its first part alone), without a word of a failure.
struct Less {
  const trace::Call* first = nullptr;  // null: there are none
  int writes = 0;
  bool mostly = false;   // of one of them more is gone than is left
  bool of_read = false;  // of a PUT several members are, and all of these that read tells else
};
Less written_with_less(const trace::Comparison& c, const trace::Call& read);

// A write that the reference makes too, and that holds another value where that one holds what this read gave it: one
// from before, or a default; or what this read tells there is taken. Null: there is none.
const trace::Call* written_with_other(const trace::Comparison& c, const trace::Call& read);

// A write that the reference makes too, and that holds another number where a text (an assertion's) names both. Not one
// that counts attempts or says beside it that it is not the usual one. Null: there is none.
const trace::Call* written_as_told(const trace::Comparison& c, const trace::Call& read, std::string_view text);

// Writes of what this read told in the reference (a page's entries, each renewed), of which none is made here, nor
// anything that the reference does not make.
struct Unmade {
  const trace::Call* first = nullptr;  // in the reference; null: there are none
  int writes = 0;                      // of its operation
};
Unmade not_written(const ComparedCase& compared, const trace::Comparison& c, const trace::Call& read);

// A write about the very thing that was asked for, which the reference does not make, at a place where it makes such of
// others: what the read was to forbid; or where that thing lies: it is made once more. Null: there is none.
const trace::Call* written_for_it(const ComparedCase& compared, const trace::Comparison& c, const trace::Call& read);

// A write of the application's own after this read had failed, carried out and in no way asked for in the reference,
// that tells of no failure: it was taken for an answer that holds nothing. Null: there is none.
const trace::Call* written_instead(const ComparedCase& compared, const trace::Comparison& c, const trace::Call& read);

}  // namespace retrial::oracles

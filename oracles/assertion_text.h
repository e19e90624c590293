#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "trace/comparing/comparison.h"

// What an assertion of a test's shows of the values that it held against each other.
namespace retrial::oracles {

// A list of what failed, where none was expected: it names what this call was about.
bool hands_back(const trace::Call& call, std::string_view message);

// Did it lay two numbers, or two lists, beside each other? A truth value, 0 and 1 among them, and what is not there at
// all may be how the application says that something failed.
bool compares_contents(std::string_view message);

struct AskedAgain {
  std::string function;          // as the test calls it: "tolls.quote()"
  bool for_else_beside = false;  // it sends other requests too
};
// The function of the application that brought this call about, where the test had called it before, called it again in
// what failed, and only one of the two sent this request, with and without the fault. Where it sends others beside it,
// both were called with the same arguments, by their text. Nothing where that is not so, or the test's own lines are
// not at hand.
std::optional<AskedAgain> asked_again(const trace::Comparison& c, const trace::Call& call,
                                      const trace::Thrown& assertion);

}  // namespace retrial::oracles

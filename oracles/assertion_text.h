#pragma once
#include <string_view>

#include "trace/comparing/comparison.h"

// What an assertion of a test's shows of the values that it held against each other.
namespace retrial::oracles {

// A list of what failed, where none was expected: it names what this call was about.
bool hands_back(const trace::Call& call, std::string_view message);

// Did it lay two numbers, or two lists, beside each other? A truth value, 0 and 1 among them, and what is not there at
// all may be how the application says that something failed.
bool compares_contents(std::string_view message);

}  // namespace retrial::oracles

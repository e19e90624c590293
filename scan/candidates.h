#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "scan/language.h"

namespace retrial::scan {

struct Stretch {
  std::uint32_t line = 0, last_line = 0;  // from 1
  std::string function;
};

// Functions that speak of retries and call something, whatever control flow says of them: where a location may have
// been missed. Of functions in functions the outermost. Pure.
std::vector<Stretch> functions_about_retries(const Language& language, std::string_view text);

// Loops that go through things, one turn each, and go on to the next whatever became of the last. Pure.
std::vector<Stretch> loops_for_each_thing(const Language& language, std::string_view text);

// All loops. Pure.
std::vector<Stretch> loops(const Language& language, std::string_view text);

}  // namespace retrial::scan

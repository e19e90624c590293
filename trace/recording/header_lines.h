#pragma once
#include <string_view>
#include <vector>

#include "trace/exchange.h"

namespace retrial::trace {

// "Name: value\r\n" lines, as a head has them, into headers; a folded value keeps its folds. What was in `to` is
// replaced, its room used again. False for text that is no such lines.
bool read_header_lines(std::string_view lines, std::vector<Header>& to);

}  // namespace retrial::trace

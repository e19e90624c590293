#pragma once
#include <string>
#include <string_view>

namespace retrial::proxy {

// Numbers of a JSON text that neither a double nor an integer of 64 bits holds (1e999, 2^64) become strings that begin
// with a mark, so that they come through a parser as they were written; and numbers again.
std::string far_numbers_as_text(std::string_view json);
std::string far_numbers_again(std::string json);

}  // namespace retrial::proxy

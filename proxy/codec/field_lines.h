#pragma once
#include <string_view>

namespace retrial::proxy {

// Fields as text: "name: value\r\n" each, as trailers are kept.
struct FieldLine {
  std::string_view name, value;
};
// Takes the first one off; false: there is none.
bool next_line(std::string_view& lines, FieldLine& line);
// The value of the first one of that name (lower case), or an empty view.
std::string_view line_value(std::string_view lines, std::string_view name);

}  // namespace retrial::proxy

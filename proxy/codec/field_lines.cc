#include "proxy/codec/field_lines.h"

#include "base/text.h"

namespace retrial::proxy {

bool next_line(std::string_view& lines, FieldLine& line) {
  auto end = lines.find("\r\n");
  if (end == lines.npos || end == 0) return false;
  auto text = lines.substr(0, end);
  lines.remove_prefix(end + 2);
  auto colon = text.find(':', 1);
  line.name = text.substr(0, colon);
  line.value = colon == text.npos ? std::string_view() : trim(text.substr(colon + 1));
  return true;
}

std::string_view line_value(std::string_view lines, std::string_view name) {
  for (FieldLine line; next_line(lines, line);)
    if (iequals(line.name, name)) return line.value;
  return {};
}

}  // namespace retrial::proxy

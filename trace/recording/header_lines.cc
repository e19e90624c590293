#include "trace/recording/header_lines.h"

#include "base/text.h"

namespace retrial::trace {

bool read_header_lines(std::string_view lines, std::vector<Header>& to) {
  std::size_t count = 0;
  while (!lines.empty()) {
    auto colon = lines.find(':');
    auto end = lines.find("\r\n");
    while (end != lines.npos && end + 2 < lines.size() && (lines[end + 2] == ' ' || lines[end + 2] == '\t'))
      end = lines.find("\r\n", end + 2);
    if (end == lines.npos || colon == lines.npos || colon > end) return false;
    if (count == to.size()) to.emplace_back();
    to[count].name.assign(lines.substr(0, colon));
    to[count].value.assign(trim(lines.substr(colon + 1, end - colon - 1)));
    count++;
    lines.remove_prefix(end + 2);
  }
  to.resize(count);
  return true;
}

}  // namespace retrial::trace

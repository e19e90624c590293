#include "trace/recording/header_lines.h"

#include "base/text.h"
#include "trace/recording/encoder.h"

namespace retrial::trace {

namespace {

// How long the line is that `lines` begin with, where it is this very header as it is mostly written; else 0.
std::size_t is_still(const Header& header, std::string_view lines) {
  auto name = header.name.size(), size = name + 2 + header.value.size() + 2;
  auto* at = lines.data();
  if (lines.size() < size || at[name] != ':' || at[name + 1] != ' ' || at[size - 2] != '\r' || at[size - 1] != '\n' ||
      !record::same(at, header.name.data(), name) ||
      !record::same(at + name + 2, header.value.data(), header.value.size()))
    return 0;
  bool goes_on = lines.size() > size && (at[size] == ' ' || at[size] == '\t');
  return goes_on ? 0 : size;
}

}  // namespace

// Most are what the last request of that client said: what is there already is not read again.
bool read_header_lines(std::string_view lines, std::vector<Header>& to) {
  std::size_t count = 0;
  while (!lines.empty()) {
    if (auto size = count < to.size() ? is_still(to[count], lines) : 0) {
      lines.remove_prefix(size);
      count++;
      continue;
    }
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

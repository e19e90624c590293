#pragma once
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

// What a page of docs/ says, for tests that hold it against the tables of the code.
namespace retrial::test {

inline std::string text_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(std::string(RETRIAL_SOURCE_DIR) + "/" + file).rdbuf();
  return text.str();
}
inline std::string docs(const std::string& page) { return text_of("docs/" + page); }

// The text from this heading on, up to the next of its level or above it. Empty: there is no such heading.
inline std::string_view section(std::string_view text, std::string_view heading) {
  auto at = ("\n" + std::string(text)).find("\n" + std::string(heading) + "\n");
  if (at == text.npos) return {};
  auto from = at + heading.size() + 1;
  auto level = heading.find(' ');
  for (auto next = text.find("\n#", from); next != text.npos; next = text.find("\n#", next + 1))
    if (text.find_first_not_of('#', next + 1) - next - 1 <= level) return text.substr(from, next - from);
  return text.substr(from);
}

// The cells of the first table of a section, row by row, without its head.
inline std::vector<std::vector<std::string>> table_below(std::string_view text, std::string_view heading) {
  std::vector<std::vector<std::string>> rows;
  int lines = 0;
  for (auto line : split(section(text, heading), '\n')) {
    if (!line.starts_with('|')) {
      if (lines) break;
      continue;
    }
    if (lines++ < 2) continue;  // the head, and the line below it
    auto& row = rows.emplace_back();
    for (auto cell : split(line.substr(1, line.rfind('|') - 1), '|')) row.emplace_back(trim(cell));
  }
  return rows;
}

}  // namespace retrial::test

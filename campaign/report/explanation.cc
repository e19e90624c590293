#include "campaign/report/explanation.h"

#include <algorithm>

#include "base/text.h"

namespace retrial::campaign::report {

std::string_view page(std::string_view name) {
  auto all = pages();
  auto at = std::ranges::find(all, name, &EmbeddedFile::path);
  return at == all.end() ? std::string_view() : at->bytes;
}

std::string explanation(std::string_view verdict) {
  std::string section, note;
  bool inside = false;
  for (auto line : split(page("verdicts.md"), '\n')) {
    if (line.starts_with("### ") || line.starts_with("## ")) inside = line == "### " + std::string(verdict);
    if (inside) section.append(line).append("\n");
    auto row = "| `" + std::string(verdict) + "` | ";
    if (line.starts_with(row))
      note = "### " + std::string(verdict) + "\n" +
             std::string(trim(line.substr(row.size(), line.rfind('|') - row.size()))) + "\n";
  }
  while (section.ends_with("\n\n")) section.pop_back();
  return section.empty() ? note : section;
}

}  // namespace retrial::campaign::report

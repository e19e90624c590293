#include "campaign/report/explanation.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "oracles/oracle.h"

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
    if (inside && !line.starts_with("### ")) section.append(line).append("\n");
    auto row = "| `" + std::string(verdict) + "` | ";
    if (line.starts_with(row)) note = std::string(trim(line.substr(row.size(), line.rfind('|') - row.size()))) + "\n";
  }
  while (section.ends_with("\n\n")) section.pop_back();
  auto* known = oracles::verdict_named(verdict);
  if (!known) return {};
  auto meaning = fmt::format("### {}\n**{}.** {}", verdict, known->title, known->why);
  auto remedy = known->remedy.empty() ? "" : fmt::format("\n\n*Right.* {}", known->remedy);
  return fmt::format("{}{}\n\n{}", meaning, remedy, section.empty() ? note : section);
}

}  // namespace retrial::campaign::report

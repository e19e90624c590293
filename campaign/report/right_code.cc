#include "campaign/report/right_code.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "campaign/report/explanation.h"

namespace retrial::campaign::report {
namespace {

constexpr std::string_view kFence = "```";

std::string_view language_of(std::string_view fence) { return fence == "js" ? "node" : fence; }

// "A failure is no answer, and what ..." as a link names it: "a-failure-is-no-answer-and-what-...".
std::string anchor(std::string_view heading) {
  std::string out;
  for (char c : heading) {
    if (c == ' ') out += '-';
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '-') out += static_cast<char>(std::tolower(c));
  }
  return out;
}

// The link of the row that begins with this verdict, alone or among others; empty: there is none.
std::string_view link_of(std::string_view page, std::string_view verdict) {
  auto name = "`" + std::string(verdict) + "`";
  while (!page.empty()) {
    auto line = page.substr(0, page.find('\n'));
    page.remove_prefix(std::min(page.size(), line.size() + 1));
    if (!line.starts_with("| `") || !line.substr(0, line.find(" | ")).contains(name)) continue;
    auto link = line.substr(std::min(line.size(), line.rfind("(#") + 2));
    return link.substr(0, link.find(')'));
  }
  return {};
}

}  // namespace

std::vector<RightProgram> right_code(std::string_view verdict) {
  auto text = page("right-code.md");
  auto link = link_of(text, verdict);
  std::vector<RightProgram> out;
  bool there = false;
  while (!link.empty() && !text.empty()) {
    auto line = text.substr(0, text.find('\n'));
    if (line.starts_with("## ") && there) break;
    if (line.starts_with("## ")) there = anchor(line.substr(3)) == link;
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!line.starts_with(kFence)) continue;
    auto program = text.substr(0, text.find("\n```"));
    text.remove_prefix(std::min(text.size(), program.size() + 5));
    if (line != "```text") out.push_back({language_of(line.substr(kFence.size())), program});
  }
  return out;
}

}  // namespace retrial::campaign::report

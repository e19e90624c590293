#include "trace/store/store_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "base/text.h"

namespace retrial::trace {
namespace {

void add_escaped(std::string& out, std::string_view text, char also = 0) {
  for (char c : text) {
    if (c == '\n')
      out += "\\n";
    else if (c == '\\')
      out += "\\\\";
    else if (also && c == also)
      (out += '\\') += 'c';
    else
      out += c;
  }
}
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); i++) {
    if (text[i] != '\\' || i + 1 == text.size())
      out += text[i];
    else if (char c = text[++i]; c == 'n')
      out += '\n';
    else
      out += c == 'c' ? ':' : c;
  }
  return out;
}
template <class F>
bool each_line(std::string_view text, F f) {
  for (std::size_t end; !text.empty(); text.remove_prefix(end + 1)) {
    end = text.find('\n');
    if (end == text.npos || !f(text.substr(0, end))) return false;
  }
  return true;
}
template <class N>
bool numbers(std::string_view text, std::vector<N>& to) {
  if (text.empty()) return true;
  for (auto part : split(text, ' ')) {
    auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), to.emplace_back());
    if (error != std::errc{} || end != part.data() + part.size()) return false;
  }
  return true;
}

}  // namespace

std::string lines(const std::vector<std::string>& list) {
  std::string out;
  for (auto& s : list) {
    add_escaped(out, s);
    out += '\n';
  }
  return out;
}
std::string lines(const std::vector<Header>& headers) {
  std::string out;
  for (auto& h : headers) {
    add_escaped(out, h.name, ':');
    out += ": ";
    add_escaped(out, h.value);
    out += '\n';
  }
  return out;
}
std::string lines(const std::vector<std::uint64_t>& list) { return fmt::format("{}", fmt::join(list, " ")); }
std::string lines(const std::vector<double>& list) { return fmt::format("{}", fmt::join(list, " ")); }

bool from_lines(std::string_view text, std::vector<std::string>& to) {
  return each_line(text, [&](std::string_view line) { return to.push_back(unescaped(line)), true; });
}
bool from_lines(std::string_view text, std::vector<Header>& to) {
  return each_line(text, [&](std::string_view line) {
    auto colon = line.find(": ");
    if (colon == line.npos) return false;
    to.push_back({unescaped(line.substr(0, colon)), unescaped(line.substr(colon + 2))});
    return true;
  });
}
bool from_lines(std::string_view text, std::vector<std::uint64_t>& to) { return numbers(text, to); }
bool from_lines(std::string_view text, std::vector<double>& to) { return numbers(text, to); }

}  // namespace retrial::trace

// Texts as wholes: keys in armour, and tables.
#include "base/text.h"
#include "trace/secrets/names.h"
#include "trace/secrets/search.h"
#include "trace/secrets/token_prefixes.h"

namespace retrial::trace {
namespace {

// Which columns are secrets', by their names; nothing: none is, or these are no names.
std::vector<bool> secret_columns(std::string_view line, char by) {
  auto names = split(line, by);
  if (names.size() < 2) return {};
  auto sign = names[0].find_last_of(":=");  // of the string that the table stands in
  names[0].remove_prefix(sign == names[0].npos ? 0 : sign + 1);
  std::vector<bool> secret;
  for (auto name : names) {
    for (char c : trim(name))
      if (!in_name(c) && c != ' ' && c != '"') return {};
    secret.push_back(secret_name(name));
  }
  return std::ranges::count(secret, true) ? secret : std::vector<bool>();
}

}  // namespace

// Private keys, from their beginning, or from where the text does.
void Search::armour() {
  for (auto& [begin, end] : kArmours) {
    for (std::size_t at = 0;;) {
      auto from = t_.find(begin, at), to = t_.find(end, at);
      if (from == kNone && to == kNone) break;
      bool headless = to < from;
      auto label = t_.substr(headless ? to : from, 60);
      at = t_.size();
      if (to != kNone) {
        at = skip(to + end.size(), [](char c) { return is_alnum(c) || c == ' ' || c == ':'; });
        at = skip(at, [](char c) { return c == '-'; });
      }
      if (label.find("PUBLIC") != kNone || label.find("CERTIFICATE") != kNone) continue;
      if (headless) from = back(to, [](char c) { return in_base64(c) || c == '=' || c == ':' || is_space(c); });
      add(from, at);
    }
  }
}

// A line of names, and lines with as many columns below it.
void Search::tables() {
  if (t_.find('\n') == kNone) return;
  auto lines = split(t_, '\n');
  for (std::size_t n = 0; n + 1 < lines.size(); n++)
    for (char by : {',', ';', '\t', '|'})
      if (auto secret = secret_columns(lines[n], by); !secret.empty())
        for (auto row = n + 1; row < lines.size() && columns(lines[row], by, secret);) row++;
}

bool Search::columns(std::string_view line, char by, const std::vector<bool>& secret) {
  auto at = static_cast<std::size_t>(line.data() - t_.data()), end = at + line.size();
  std::vector<Span> cells;
  for (; at <= end; at = cells.back().end + 1)
    cells.push_back({at, std::min(t_.find(by, at < end && t_[at] == '"' ? after_quoted(at) : at), end)});
  if (cells.size() != secret.size()) return false;
  for (std::size_t n = 0; n < cells.size(); n++)
    if (secret[n]) add(cells[n].begin, cells[n].end);
  return true;
}

}  // namespace retrial::trace

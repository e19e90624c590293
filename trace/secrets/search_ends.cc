// Where a value ends: at what stops it, with the string or the element that it stands in, with its line or its block.
#include "trace/secrets/search.h"

namespace retrial::trace {

// From `at` to the first of `stops` (of a list only where a next name follows), to the end of a line, of the string
// around it, or of the element.
std::size_t Search::until(std::size_t at, std::string_view stops, int depth, bool listed) const {
  for (; at < t_.size(); at++) {
    char c = t_[at];
    if (closes_string(at)) return at;
    bool element = c == '<' && u_[at + 1] == '/' && !form_;
    bool stop = stops.find(c) != kNone && (!listed || goes_on(at + 1));
    if ((c == '\n' || c == '\r' || element || stop) && ends(at, depth)) return at;
  }
  return at;
}

// Is t_[at] no more escaped than what it would end? JSON's escapes say nothing of that: they are the string's around.
bool Search::ends(std::size_t at, int depth) const {
  return u_.depth(at) <= (u_.percent(at) ? depth : std::max(inside_ + 1, depth));
}

// "; Name=", or nothing more.
bool Search::goes_on(std::size_t at) const {
  auto name = skip(at, is_blank);
  auto end = name;
  while (end < t_.size() && (in_name(t_[end]) || (t_[end] == ' ' && end > name))) end++;
  return end >= t_.size() || (end > name ? t_[end] == '=' : is_space(t_[end]) || is_quote(t_[end]));
}

// The line of a name, also within a string. Of a name in quotes, list marks or not, the name is the key.
Search::Line Search::line_of(std::size_t at, int depth) const {
  constexpr std::size_t kWidest = 256;
  auto first = [&](std::size_t i) {
    return (t_[i] == '\n' && ends(i, depth)) || closes_string(i) || u_.depth(i) < depth;
  };
  auto line = at;
  while (line > 0 && at - line < kWidest && !first(line - 1)) line--;
  auto text = line;
  while (is_blank(u_[text]) || (u_[text] == '-' && u_[text + 1] == ' ')) text++;
  return {line, text, text == at || is_quote(u_[text]) || (at > 0 && is_quote(t_[at - 1]))};
}

// YAML: the lines below that stand further to the right, or begin with "- ", belong to the value.
std::size_t Search::block(const Line& line, std::size_t to, int depth) const {
  auto indent = line.text - line.begin;
  bool empty = true;
  for (auto i = to; i > line.text && t_[i - 1] != ':'; i--)
    empty &= is_space(t_[i - 1]) || t_[i - 1] == '|' || t_[i - 1] == '>' || t_[i - 1] == '-' || t_[i - 1] == '+';
  for (;;) {
    auto next = to;
    if (u_[next] == '\r') next++;
    if (u_[next] != '\n') return to;
    auto text = skip(++next, is_blank);
    bool blank = u_[text] == '\n' || u_[text] == '\r' || text >= t_.size();
    bool item = empty && text - next >= indent && u_[text] == '-' && u_[text + 1] == ' ';
    if (!blank && !item && text - next <= indent) return to;
    if (text >= t_.size()) return to;
    to = blank ? text : until(text, "", depth);
  }
}

void Search::add_quoted(std::size_t at) {
  auto to = after_quoted(at);
  bool closed = to > at + 1 && t_[to - 1] == t_[at];
  add(at + 1, closed ? to - 1 : to);
}
std::size_t Search::after_quoted(std::size_t at) const {
  char quote = t_[at];
  int depth = u_.depth(at);
  for (auto i = at + 1; i < t_.size(); i++) {
    if (t_[i] == '"' && quote != '"' && u_.depth(i) < depth) return i;
    if (t_[i] != quote || u_.depth(i) > depth) continue;
    bool doubled = i > at + 1 && u_[i + 1] == quote && u_.depth(i + 1) == u_.depth(i) && quote == '\'';
    if (!doubled) return i + 1;
    i++;
  }
  return t_.size();
}
std::size_t Search::after_brackets(std::size_t at) const {
  int level = 0;
  for (; at < t_.size(); at++) {
    char c = t_[at];
    if (closes_string(at)) return at;
    if (c == '"') at = after_quoted(at) - 1;
    level += c == '{' || c == '[';
    level -= c == '}' || c == ']';
    if (level == 0) return at + 1;
  }
  return t_.size();
}

}  // namespace retrial::trace

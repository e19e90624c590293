// {"name": "password", "value": "x"} and the like, in any format and either order.
#include "base/text.h"
#include "trace/secrets/names.h"
#include "trace/secrets/search.h"

namespace retrial::trace {

void Search::paired(std::size_t at, std::size_t end) {
  auto sign = back(at, [](char before) { return is_quote(before) || is_space(before) || before == '['; });
  if (sign == 0) return;
  char c = t_[--sign];
  if (c != ':' && c != '=' && c != '>') return;
  auto to = back(sign, [](char before) { return is_quote(before) || is_space(before); });
  auto from = name_begin(to);
  if (c == '>' && (from == 0 || t_[from - 1] != '<')) return;
  if (to == from || !naming_name(text(from, to))) return;
  constexpr std::size_t kHead = 100;
  if (text(from - std::min(from, kHead), from).find("form-data") != kNone) return part(end);
  forward(from, end, c);
  backward(from);
}

// A field of multipart/form-data (RFC 7578): from the empty line to the boundary.
void Search::part(std::size_t at) {
  auto empty = t_.find("\n\r\n", at), other = t_.find("\n\n", at);
  if (empty == kNone && other == kNone) return;
  auto from = empty < other ? empty + 3 : other + 2;
  auto to = std::min(t_.find("\n--", from), t_.size());
  if (to > from && to < t_.size() && t_[to - 1] == '\r') to--;
  add(from, to);
}

// Is it a name of names, and given something?
bool Search::names_something(std::size_t from, std::size_t to) const {
  if (to <= from || !naming_name(text(from, to))) return false;
  auto k = skip(to, [](char c) { return is_quote(c) || is_blank(c); });
  return u_[k] == ':' || u_[k] == '=' || (u_[k] == '>' && from > 0 && t_[from - 1] == '<');
}

// Takes the value that is called so, if t_[from, to) is called `value`.
void Search::take(std::size_t from, std::size_t to) {
  if (!value_name(text(from, to))) return;
  if (tag_begins(from)) return element(from, to);
  auto k = skip(to, [](char c) { return is_quote(c) || is_blank(c); });
  bool quoted = std::ranges::any_of(text(to, k), is_quote);
  if (u_[k] == ':' || u_[k] == '=') value(from, to, k + 1, {t_[k], u_.depth(k), quoted});
}

// To the end of the object, element or list that both stand in, or to the next name.
void Search::forward(std::size_t from, std::size_t at, char sign) {
  int level = 0;
  auto open = t_.rfind('<', from), shut = t_.rfind('>', from);
  bool tag = sign == '=' && open != kNone && (shut == kNone || shut < open);
  auto found = spans_.size();
  for (auto stop = std::min(t_.size(), at + kFar); at < stop; at++) {
    char c = t_[at];
    level += c == '{' || c == '[';
    if ((c == '}' || c == ']') && --level < 0) return;
    if (tag && c == '>') {
      if (t_[at - 1] != '/' && spans_.size() == found) add(at + 1, std::min(t_.find("</", at), t_.size()));
      return;
    }
    if (!in_name(c)) continue;
    auto to = name_end(at);
    if (level == 0) {
      if (names_something(at, to) && same_name(from, at, to)) return;
      take(at, to);
    }
    at = to - 1;
  }
}
void Search::backward(std::size_t from) {
  int level = 0;
  for (auto at = from, least = from - std::min(from, kFar); at > least;) {
    char c = t_[at - 1];
    level += c == '}' || c == ']';
    if ((c == '{' || c == '[' || c == '(') && --level < 0) return;
    if (c == '<' && u_[at] != '/' && t_[at] != '!' && level == 0 && !is_letter(u_[at])) return;
    if (!in_name(c)) {
      at--;
      continue;
    }
    auto to = at;
    at = name_begin(at);
    if (level != 0) continue;
    if (text(at, to) == "-" || (names_something(at, to) && same_name(from, at, to))) return;
    take(at, to);
  }
}

// Is it the name of the next thing, called as this one's is? "Attribute.2.Name" is as "Attribute.1.Name".
bool Search::same_name(std::size_t from, std::size_t at, std::size_t to) const {
  auto last = [](std::string_view name) { return name.substr(name.rfind('.') + 1); };  // npos + 1 is 0
  return iequals(last(text(from, name_end(from))), last(text(at, to)));
}

}  // namespace retrial::trace

// XML and HTML: elements, also of a prefix, and those whose beginning is not there.
#include "trace/secrets/names.h"
#include "trace/secrets/search.h"

namespace retrial::trace {

// Is the name at `at` an element's, "<Name" or "<ns:Name"?
bool Search::tag_begins(std::size_t at) const {
  if (at > 0 && t_[at - 1] == ':') at = name_begin(at - 1);
  return at > 0 && t_[at - 1] == '<';
}

// All that is within, or the attribute that is called `value`.
void Search::element(std::size_t at, std::size_t end) {
  auto close = end;
  while (close < t_.size() && t_[close] != '>')
    close = is_quote(t_[close]) && t_[close - 1] == '=' ? after_quoted(close) : close + 1;
  close = std::min(close, t_.size());
  for (auto i = end; i < close; i++) {
    if (!is_letter(t_[i]) || in_name(t_[i - 1])) continue;
    auto to = std::min(name_end(i), close);
    if (u_[to] == '=' && value_name(text(i, to))) value(i, to, to + 1, {'=', u_.depth(to), false});
    i = to;
  }
  if (close >= t_.size() || t_[close - 1] == '/') return;
  auto name = text(at, end);
  auto to = close + 1;
  for (; to < t_.size() && !closes_string(to); to++) {
    if (t_[to] != '<' || u_[to + 1] != '/') continue;
    auto closing = t_.substr(to + 2, name.size() + 40);
    closing = closing.substr(0, closing.find_first_of("> \t\r\n"));
    if (auto colon = closing.rfind(':'); colon != kNone) closing.remove_prefix(colon + 1);
    if (closing == name) break;
  }
  if (!all_space(text(close + 1, to))) add(close + 1, to);
}

// "abc</password>", or "abc</ns:password>": is the name at `at` that of an end?
bool Search::tail(std::size_t at) {
  if (at > 0 && t_[at - 1] == ':') at = name_begin(at - 1);
  if (at < 2 || t_[at - 1] != '/' || t_[at - 2] != '<') return false;
  auto from = back(at - 2, [](char c) { return c != '>' && c != '<'; });
  if (!all_space(text(from, at - 2))) add(from, at - 2);
  return true;
}

}  // namespace retrial::trace

// A name and what it is given, in any format: by ':', '=' or "=>", as an option of a command, or in a list of pairs.
#include "base/text.h"
#include "trace/secrets/names.h"
#include "trace/secrets/search.h"

namespace retrial::trace {
namespace {

bool closes_name(char c) { return is_quote(c) || is_blank(c) || c == ']' || c == ')' || c == '\\'; }

// Values that say that there is none.
bool says_nothing(std::string_view value) {
  constexpr std::string_view kNothing[] = {"",     "true",  "false", "null",      "None",
                                           "True", "False", "nil",   "undefined", "***"};
  return std::ranges::find(kNothing, value) != std::end(kNothing);
}

}  // namespace

// token[]=, credentials[key]=, access_token[$ne]=: what stands in brackets is the name's too.
std::size_t Search::after_index(std::size_t end) const {
  constexpr std::size_t kLongest = 64;
  while (end < t_.size() && t_[end] == '[') {
    auto close = t_.find(']', end);
    if (close == kNone || close - end > kLongest || text(end, close).find_first_of("=&:\"'{},\n") != kNone) break;
    end = close + 1;
  }
  return end;
}

void Search::assigned(std::size_t at, std::size_t end) {
  if (tag_begins(at)) return element(at, end);
  if (tail(at)) return;
  auto c = static_cast<unsigned char>(u_[end]);
  if (end < t_.size() && (c >= 128 || (c < ' ' && !is_space(t_[end])))) {
    bool utf8 = c >= 0xc2 && c < 0xf5 && (static_cast<unsigned char>(u_[end + 1]) & 0xc0) == 0x80;
    if (!utf8) return add(end, t_.size());  // MessagePack, BSON, Protocol Buffers: where it ends is not known
  }
  auto named = after_index(end);
  auto k = std::min(skip(named, closes_name), named + 8);
  bool quoted = std::ranges::any_of(text(named, k), is_quote);
  if (quoted) k = skip(k, is_space);
  char sign = u_[k];
  if (sign != ':' && sign != '=') return flag(at, end);
  int depth = u_.depth(k++);
  if (u_[k] == '=' || (sign == '=' && u_[k] == '>')) k++;
  if (sign == ':' && t_.substr(k).starts_with("//")) return;
  value(at, end, k, {sign, depth, quoted});
}

void Search::value(std::size_t at, std::size_t end, std::size_t from, Given given) {
  auto [sign, depth, quoted] = given;
  if (form_ && sign == '=' && depth == 0) return add(from, until(from, "&", depth));
  auto k = skip(from, quoted ? is_space : is_blank);
  if (k >= t_.size()) return;
  if (is_letter(t_[k]) && is_quote(u_[k + 1])) k++;  // b'abc'
  if (is_quote(t_[k])) {
    auto three = t_.substr(k, 3);
    if (three == "\"\"\"" || three == "'''") return add(k + 3, std::min(t_.find(three, k + 3), t_.size()));
    return add_quoted(k);
  }
  if (t_[k] == '{' || t_[k] == '[') return add(k, after_brackets(k));
  if (t_.substr(k).starts_with("<![CDATA[")) return add(k, std::min(t_.find("]]>", k), t_.size()));
  auto name = text(at, end);
  auto to = bare_end(at, k, given);
  if (to == kNone && !in_prose(name, k, to)) return;
  while (to > k && is_space(t_[to - 1])) to--;
  auto said = text(k, to);
  if (says_nothing(said) || (name.ends_with("okens") && std::ranges::all_of(said, is_digit))) return;
  add(k, to);
}

// Of a value without quotes or brackets; kNone: its name stands in a sentence.
std::size_t Search::bare_end(std::size_t at, std::size_t from, Given given) const {
  auto [sign, depth, quoted] = given;
  if (sign == ':' && quoted) return std::min(t_.find_first_of(",}]\" \t\r\n", from), t_.size());
  if (sign == '=' && in_url(at)) return until(from, where_ == Where::target ? " \t\"'`<>&;#?" : " \t\"'`<>&;#", depth);
  if (sign == '=') return until(from, "&;, ", depth, true);
  auto before = back(at, [](char c) { return is_blank(c) || is_quote(c); });
  bool in_braces = before > 0 && (t_[before - 1] == '{' || t_[before - 1] == ',' || t_[before - 1] == '(');
  if (in_braces) return until(from, ",})", depth);
  if (auto line = line_of(at, depth); line.is_key) return block(line, until(from, "", depth), depth);
  return kNone;
}

// In a sentence the word behind the sign: "wrong password: abc, try again", not "refreshing the token: 503
// Unavailable". Of a header all of the line.
bool Search::in_prose(std::string_view name, std::size_t from, std::size_t& to) const {
  to = until(from, " \t", 0);
  if (icontains(name, "pass") || icontains(name, "pwd")) return true;
  if (icontains(name, "authorization") || icontains(name, "cookie")) {
    to = until(from, "", 0);
    return true;
  }
  auto word = text(from, to);
  bool digit = std::ranges::any_of(word, is_digit), letter = std::ranges::any_of(word, is_letter);
  return word.size() >= 16 || (word.size() >= 6 && digit && (letter || word.size() == 6));
}

// "--password x", "--password", "x", "-u user:x", [["password", "x"]], PASSWORD 'x'
void Search::flag(std::size_t at, std::size_t end) {
  auto name = text(at, end);
  auto k = end + (is_quote(u_[end]) ? 1 : 0);
  bool option = name[0] == '-';
  bool sql = icontains(name, "pass") && is_blank(u_[k]) && is_quote(u_[k + 1]);
  if (!option && !sql && (k == end || at == 0 || !begins_pair(at - 1))) return;
  auto gap = k;
  k = skip(k, [](char c) { return is_space(c) || c == ','; });
  if (k == gap || k >= t_.size() || t_[k] == '-') return;
  if (is_quote(t_[k])) {
    auto to = after_quoted(k);
    char next = u_[skip(to, is_space)];
    if (option || sql || next == ']' || next == ')' || to >= t_.size()) add_quoted(k);
  } else if (option) {
    auto to = skip(k, [](char c) { return !is_space(c) && !is_quote(c); });
    auto colon = text(k, to).find(':');
    if (!name.ends_with("-u") && !name.ends_with("user"))
      add(k, to);
    else if (colon != kNone)
      add(k + colon + 1, to);
  }
}

// Does the word in quotes at `quote` begin a pair, "[password" in a list of lists, or arguments?
bool Search::begins_pair(std::size_t quote) const {
  auto open = back(quote, is_space);
  if (open == 0) return false;
  if (t_[--open] == '(') return true;
  open = back(open, is_space);
  return t_[open] == '[' && open > 0 && (t_[open - 1] == '[' || t_[open - 1] == ',');
}

}  // namespace retrial::trace

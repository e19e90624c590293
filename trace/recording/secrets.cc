#include "trace/recording/secrets.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "trace/recording/secret_names.h"
#include "trace/recording/secret_shapes.h"
#include "trace/recording/unfold.h"

namespace retrial::trace {
namespace {

constexpr auto never = [](std::size_t) { return false; };
constexpr std::size_t kNone = std::string_view::npos;
constexpr std::size_t kFar = 4096;  // how far from a name its value is looked for
constexpr std::size_t kNear = 16;   // where it mostly is
constexpr std::size_t kWide = 256;  // and the beginning of its line

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool in_name(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.' || c == '$'; }
bool in_base64(char c) {
  return is_letter(c) || is_digit(c) || c == '+' || c == '/' || c == '-' || c == '_' || c == '=';
}
bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_space(char c) { return is_blank(c) || c == '\r' || c == '\n'; }
bool is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }

// What begins and ends a key in armour.
struct Armour {
  std::string_view begin, end;
};
constexpr Armour kArmours[] = {
    {"-----BEGIN ", "-----END "}, {"---- BEGIN ", "---- END "}, {"PuTTY-User-Key-File", "Private-MAC"}};

// One text on its way. All positions are in it as it reads without its escapes.
class Search {
 public:
  Search(std::string_view text, Where where, int within) : u_(text), t_(u_.text()), where_(where), within_(within) {}

  std::vector<Span> run() {
    if (!u_.whole()) return {{0, u_.from(t_.size())}};
    form_ = where_ == Where::body && is_form();
    armour();
    if (where_ == Where::body) tables();
    for (std::size_t at = 0; at < t_.size();) {
      if (at < covered_ || !in_name(t_[at])) {  // in what goes anyway nothing more is looked for
        note_quote(at++);
        continue;
      }
      auto end = at;
      while (end < t_.size() && in_name(t_[end])) end++;
      at = word(at, end);
    }
    return merged();
  }

 private:
  // --- Texts as wholes

  // name=value&name=value: all but '&' may stand in a value. Other lists of name=value have blanks, ';' or lines.
  bool is_form() const {
    auto sign = t_.find('=');
    if (sign == kNone || sign == 0) return false;
    for (char c : t_.substr(0, sign))
      if (!in_name(c) && c != '[' && c != ']' && c != '+') return false;
    bool line = trim(t_).find('\n') != kNone && u_.depth(t_.find('\n')) == 0;
    return !line && (t_.find('&') != kNone || t_.find_first_of("; ,") == kNone);
  }

  void armour() {
    for (auto& [begin, end] : kArmours) {
      for (std::size_t at = 0;;) {
        auto from = t_.find(begin, at), to = t_.find(end, at);
        if (from == kNone && to == kNone) break;
        bool headless = to < from;
        auto label = t_.substr(headless ? to : from, 60);
        at = to == kNone ? t_.size() : after_armour(to + end.size());
        if (label.find("PUBLIC") != kNone || label.find("CERTIFICATE") != kNone) {
          if (to == kNone) break;
          continue;
        }
        if (headless)
          for (from = to; from > 0 && (in_base64(t_[from - 1]) || is_space(t_[from - 1]) || t_[from - 1] == ':');)
            from--;
        add(from, at);
      }
    }
  }
  std::size_t after_armour(std::size_t at) const {
    while (at < t_.size() && (is_letter(t_[at]) || is_digit(t_[at]) || t_[at] == ' ' || t_[at] == ':')) at++;
    while (at < t_.size() && t_[at] == '-') at++;
    return at;
  }

  // A table: a line of names, and lines with as many columns below it.
  void tables() {
    if (t_.find('\n') == kNone) return;
    auto lines = split(t_, '\n');
    for (std::size_t n = 0; n + 1 < lines.size(); n++)
      for (char by : {',', ';', '\t', '|'})
        if (auto secret = secret_columns(lines[n], by); !secret.empty())
          for (auto row = n + 1; row < lines.size() && columns(lines[row], by, secret); row++) {
          }
  }
  // Which columns are secrets', by their names; nothing: none is, or these are no names.
  static std::vector<bool> secret_columns(std::string_view line, char by) {
    if (line.find(by) == kNone) return {};
    auto names = split(line, by);
    auto sign = names[0].find_last_of(":=");  // of the string that the table stands in
    names[0].remove_prefix(sign == kNone ? 0 : sign + 1);
    std::vector<bool> secret;
    for (auto name : names) {
      for (char c : trim(name))
        if (!in_name(c) && c != ' ' && c != '"') return {};
      secret.push_back(secret_name(name));
    }
    return std::ranges::count(secret, true) ? secret : std::vector<bool>();
  }
  bool columns(std::string_view line, char by, const std::vector<bool>& secret) {
    auto at = static_cast<std::size_t>(line.data() - t_.data()), end = at + line.size();
    std::vector<Span> cells;
    for (; at <= end; at = cells.back().end + 1)
      cells.push_back({at, std::min(t_.find(by, at < end && t_[at] == '"' ? after_quoted(at) : at), end)});
    if (cells.size() != secret.size()) return false;
    for (std::size_t n = 0; n < cells.size(); n++)
      if (secret[n]) add(cells[n].begin, cells[n].end);
    return true;
  }

  // --- One word

  // Looks at t_[at, end), and says where to go on.
  std::size_t word(std::size_t at, std::size_t end) {
    look_around(at, end);
    word_end_ = end;
    if (auto to = shaped(at, end); to > at) return to;
    if (auto to = folded(at); to > at) return to;
    user(end);
    auto name = t_.substr(at, end - at);
    if (secret_name(name)) {
      assigned(at, end);
      paired(at, end);
    } else if (iequals(name, "key") ? in_url(at) : iequals(name, "code") && is_code(at, end)) {
      assigned(at, end);
    } else if (auto from = two_words(at, end); from != kNone) {
      assigned(from, end);
    }
    if (name == "-u" || name == "--user" || name == "--proxy-user") flag(at, end);
    return end;
  }

  // "Recovery code: x"
  std::size_t two_words(std::size_t at, std::size_t end) const {
    auto sign = end + (is_quote(u_[end]) ? 1 : 0);
    if (u_[sign] != ':' || at < 2 || t_[at - 1] != ' ') return kNone;
    auto from = at - 1;
    while (from > 0 && in_name(t_[from - 1])) from--;
    bool both =
        from + 1 < at && !secret_name(t_.substr(from, at - 1 - from)) && secret_name(t_.substr(from, end - from));
    return both ? from : kNone;
  }
  std::size_t shaped(std::size_t at, std::size_t end) {
    for (auto i = at; i < end; i++) {
      if (i > at && (is_letter(t_[i - 1]) || is_digit(t_[i - 1])) && u_.depth(i - 1) == u_.depth(i)) continue;
      auto shape = token_at(u_, i);
      if (!shape) continue;
      add(shape.begin, shape.end);
      return std::max(shape.end, end);
    }
    return at;
  }
  // Text in base64 that holds secrets goes as a whole.
  std::size_t folded(std::size_t at) {
    if (within_ >= 2 || (at > 0 && in_base64(t_[at - 1]) && t_[at - 1] != '=')) return at;
    auto end = at;
    while (end < t_.size() && in_base64(t_[end])) end++;
    if (end - at < 16) return at;
    auto inside = text_in_base64(t_.substr(at, end - at));
    if (inside.empty() || Search(inside, Where::body, within_ + 1).run().empty()) return at;
    add(at, end);
    return end;
  }

  void user(std::size_t end) {
    if (u_[end] != ':') return;
    if (t_.substr(end).starts_with("://")) {
      auto shape = userinfo_at(u_, end);
      return add(shape.begin, shape.end);
    }
    auto stop = std::min(t_.find_first_of(" \r\n\"'<>", end), t_.size());  // Go's MySQL: user:password@tcp(host)/name
    auto host = t_.substr(0, stop).find("@tcp(", end);
    if (host == kNone) host = t_.substr(0, stop).find("@unix(", end);
    if (host != kNone) add(end + 1, host);
  }
  bool in_url(std::size_t at) const {
    if (where_ == Where::target) return true;
    for (auto i = at; i > 0 && at - i < kFar; i--) {
      char c = t_[i - 1];
      if (is_space(c) || is_quote(c) || c == '<' || c == '>') return false;
      if (c == '?') return true;
    }
    return false;
  }
  bool oauth() {
    if (oauth_ < 0)
      oauth_ = t_.find("grant_type") != kNone || t_.find("code_verifier") != kNone ||
               t_.find("redirect_uri") != kNone || t_.find("grantType") != kNone;
    return oauth_;
  }
  // OAuth's (RFC 6749 4.1.2), or a key in a query: of an error or a country `code` says a word or a short number.
  bool is_code(std::size_t at, std::size_t end) {
    if (oauth()) return true;
    if (u_[end] != '=' || !(form_ || in_url(at))) return false;
    auto to = end + 1;
    bool digit = false;
    for (; to < t_.size() && t_[to] != '&' && !is_space(t_[to]) && !is_quote(t_[to]); to++) digit |= is_digit(t_[to]);
    return (digit && to - end > 6) || to - end > 24;
  }

  // --- A name and what it is given

  void assigned(std::size_t at, std::size_t end) {
    if (at > 0 && tag_begins(at)) return element(at, end);
    if (at > 1 && t_[at - 1] == '/' && t_[at - 2] == '<') return tail(at - 2);
    if (auto colon = at; at > 2 && t_[at - 1] == ':') {
      for (colon--; colon > 0 && in_name(t_[colon - 1]); colon--) {
      }
      if (colon > 1 && t_[colon - 1] == '/' && t_[colon - 2] == '<') return tail(colon - 2);
    }
    if (auto c = static_cast<unsigned char>(u_[end]);
        end < t_.size() && (c >= 128 || (c < ' ' && !is_space(t_[end])))) {
      bool utf8 = c >= 0xc2 && c < 0xf5 && (static_cast<unsigned char>(u_[end + 1]) & 0xc0) == 0x80;
      if (!utf8) return add(end, t_.size());  // MessagePack, BSON, Protocol Buffers: where it ends is not known
    }
    auto k = end;
    bool quoted = false;
    for (; k < t_.size() && k - end < 8 &&
           (is_quote(t_[k]) || is_blank(t_[k]) || t_[k] == ']' || t_[k] == ')' || t_[k] == '\\');
         k++)
      quoted |= is_quote(t_[k]);
    if (quoted)
      while (is_space(u_[k])) k++;
    if (u_[k] != ':' && u_[k] != '=') return flag(at, end);
    char sign = t_[k];
    int depth = u_.depth(k++);
    if (u_[k] == '=' || (sign == '=' && u_[k] == '>')) k++;
    if (sign == ':' && t_.substr(k).starts_with("//")) return;
    value(at, end, k, sign, depth, quoted);
  }

  void value(std::size_t at, std::size_t end, std::size_t k, char sign, int depth, bool quoted) {
    if (form_ && sign == '=' && depth == 0)
      return add(k, until(k, [&](std::size_t i) { return t_[i] == '&' && ends(i, 0); }, depth));
    auto first = k;
    while (is_blank(u_[k]) || (quoted && is_space(u_[k]))) k++;
    if (k >= t_.size()) return;
    if (is_letter(t_[k]) && is_quote(u_[k + 1])) k++;  // b'abc'
    if (is_quote(t_[k])) {
      auto three = t_.substr(k, 3);
      if (three == "\"\"\"" || three == "'''") return add(k + 3, std::min(t_.find(three, k + 3), t_.size()));
      auto to = after_quoted(k);
      bool closed = to > k + 1 && t_[to - 1] == t_[k];
      return add(k + 1, closed ? to - 1 : to);
    }
    if (t_[k] == '{' || t_[k] == '[') return add(k, after_brackets(k));
    if (t_.substr(k).starts_with("<![CDATA[")) return add(k, std::min(t_.find("]]>", k), t_.size()));
    auto to = k;
    if (sign == ':' && quoted) {
      while (to < t_.size() && t_[to] != ',' && t_[to] != '}' && t_[to] != ']' && t_[to] != '"' && !is_space(t_[to]))
        to++;
    } else if (sign == '=' && in_url(at)) {
      to = until(
          k,
          [&](std::size_t i) {
            char c = t_[i];
            bool stops = is_space(c) || is_quote(c) || c == '<' || c == '>' || c == '&' || c == ';' || c == '#' ||
                         (c == '?' && where_ == Where::target);
            return stops && ends(i, depth);
          },
          depth);
    } else if (sign == '=') {
      to = until(
          k,
          [&](std::size_t i) {
            return (t_[i] == '&' || t_[i] == ';' || t_[i] == ',' || t_[i] == ' ') && ends(i, depth) && goes_on(i + 1);
          },
          depth);
    } else {
      auto before = at;
      while (before > 0 && (is_blank(t_[before - 1]) || is_quote(t_[before - 1]))) before--;
      bool inline_ = before > 0 && (t_[before - 1] == '{' || t_[before - 1] == ',' || t_[before - 1] == '(');
      if (inline_)
        to = until(k, [&](std::size_t i) { return t_[i] == ',' || t_[i] == '}' || t_[i] == ')'; }, depth);
      else if (auto line = line_of(at, depth); line.begin_of == at)
        to = block(line, until(k, never, depth), depth);
      else if (!in_prose(at, end, k, to = until(k, [&](std::size_t i) { return is_space(t_[i]); }, depth)))
        return;
    }
    while (to > k && is_space(t_[to - 1])) to--;
    auto said = t_.substr(k, to - k);
    for (auto word : {"", "true", "false", "null", "None", "True", "False", "nil", "undefined", "***"})
      if (said == word) return;
    if (t_.substr(at, end - at).ends_with("okens") && std::ranges::all_of(said, is_digit)) return;
    add(std::max(first, k), to);
  }

  // From `at` to what ends it: `stops`, the end of a line, of the string around it, or of the element.
  template <class Stops>
  std::size_t until(std::size_t at, Stops stops, int depth) const {
    for (; at < t_.size(); at++) {
      char c = t_[at];
      if (c == '"' && inside() >= 0 && u_.depth(at) <= inside()) return at;
      if ((c == '\n' || c == '\r') && ends(at, depth)) return at;
      if (c == '<' && u_[at + 1] == '/' && !form_ && ends(at, depth)) return at;
      if (stops(at)) return at;
    }
    return at;
  }
  // Is t_[at] no more escaped than what it would end? JSON's escapes say nothing of that: they are the string's around.
  bool ends(std::size_t at, int depth) const {
    return u_.depth(at) <= (u_.percent(at) ? depth : std::max(inside() + 1, depth));
  }
  // "; Name=", or nothing more.
  bool goes_on(std::size_t at) const {
    while (at < t_.size() && is_blank(t_[at])) at++;
    auto name = at;
    while (at < t_.size() && (in_name(t_[at]) || (t_[at] == ' ' && at > name))) at++;
    return at >= t_.size() || (at > name && t_[at] == '=') || (at == name && (is_space(t_[at]) || is_quote(t_[at])));
  }
  // In a sentence the word behind the sign: "wrong password: abc, try again", not "refreshing the token: 503
  // Unavailable".
  bool in_prose(std::size_t at, std::size_t end, std::size_t from, std::size_t& to) const {
    for (auto strong : {"pass", "pwd", "authorization", "cookie"})
      if (icontains(t_.substr(at, end - at), strong)) {
        if (strong[0] != 'p') to = until(from, never, 0);
        return true;
      }
    auto word = t_.substr(from, to - from);
    bool digit = std::ranges::any_of(word, is_digit), letter = std::ranges::any_of(word, is_letter);
    return word.size() >= 16 || (word.size() >= 6 && digit && (letter || word.size() == 6));
  }
  // The line of a name: where it begins, also within a string, and where its first word does, list marks and quotes
  // left out.
  struct Line {
    std::size_t begin, text, begin_of;
  };
  Line line_of(std::size_t at, int depth) const {
    auto line = at;
    auto first = [&](std::size_t i) {
      return (t_[i] == '\n' && ends(i, depth)) || (t_[i] == '"' && u_.depth(i) <= inside()) || u_.depth(i) < depth;
    };
    while (line > 0 && at - line < kWide && !first(line - 1)) line--;
    auto text = line;
    while (is_blank(u_[text]) || (u_[text] == '-' && u_[text + 1] == ' ')) text++;
    bool quoted = is_quote(u_[text]) || (at > 0 && is_quote(t_[at - 1]));
    return {line, text, quoted ? at : text};
  }
  // YAML: the lines below that stand further to the right, or begin with "- ", belong to the value.
  std::size_t block(const Line& line, std::size_t to, int depth) const {
    auto indent = line.text - line.begin;
    bool empty = true;
    for (auto i = to; i > line.text && t_[i - 1] != ':'; i--)
      empty &= is_space(t_[i - 1]) || t_[i - 1] == '|' || t_[i - 1] == '>' || t_[i - 1] == '-' || t_[i - 1] == '+';
    for (;;) {
      auto next = to;
      if (u_[next] == '\r') next++;
      if (u_[next] != '\n') return to;
      auto text = ++next;
      while (is_blank(u_[text])) text++;
      bool blank = u_[text] == '\n' || u_[text] == '\r' || text >= t_.size();
      bool item = empty && text - next >= indent && u_[text] == '-' && u_[text + 1] == ' ';
      if (!blank && !item && text - next <= indent) return to;
      if (text >= t_.size()) return to;
      to = blank ? text : until(text, never, depth);
    }
  }

  std::size_t after_quoted(std::size_t at) const {
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
  std::size_t after_brackets(std::size_t at) const {
    int level = 0;
    for (; at < t_.size(); at++) {
      char c = t_[at];
      if (c == '"') {
        if (inside() >= 0 && u_.depth(at) <= inside()) return at;
        at = after_quoted(at) - 1;
      }
      level += c == '{' || c == '[';
      level -= c == '}' || c == ']';
      if (level == 0) return at + 1;
    }
    return t_.size();
  }

  // --- XML

  // Is the name at `at` an element's, "<Name" or "<ns:Name"?
  bool tag_begins(std::size_t at) const {
    if (at > 0 && t_[at - 1] == ':')
      for (at--; at > 0 && in_name(t_[at - 1]);) at--;
    return at > 0 && t_[at - 1] == '<';
  }
  void element(std::size_t at, std::size_t end) {
    auto close = tag_end(end);
    for (auto i = end; i < close; i++) {
      if (!is_letter(t_[i]) || in_name(t_[i - 1])) continue;
      auto to = i;
      while (to < close && in_name(t_[to])) to++;
      if (u_[to] == '=' && value_name(t_.substr(i, to - i))) value(i, to, to + 1, '=', u_.depth(to), false);
      i = to;
    }
    if (close >= t_.size() || t_[close - 1] == '/') return;
    auto name = t_.substr(at, end - at);
    auto to = close + 1;
    for (; to < t_.size(); to++) {
      if (t_[to] == '"' && inside() >= 0 && u_.depth(to) <= inside()) break;
      if (t_[to] != '<' || u_[to + 1] != '/') continue;
      auto closing = t_.substr(to + 2, name.size() + 40);
      closing = closing.substr(0, closing.find_first_of("> \t\r\n"));
      if (auto colon = closing.rfind(':'); colon != kNone) closing.remove_prefix(colon + 1);
      if (closing == name) break;
    }
    if (std::ranges::all_of(t_.substr(close + 1, to - close - 1), is_space)) return;
    add(close + 1, to);
  }
  std::size_t tag_end(std::size_t at) const {
    while (at < t_.size() && t_[at] != '>') at = is_quote(t_[at]) && t_[at - 1] == '=' ? after_quoted(at) : at + 1;
    return std::min(at, t_.size());
  }
  // "abc</password>": its beginning is not there.
  void tail(std::size_t at) {
    auto from = at;
    while (from > 0 && t_[from - 1] != '>' && t_[from - 1] != '<') from--;
    if (from < at && !std::ranges::all_of(t_.substr(from, at - from), is_space)) add(from, at);
  }

  // --- {"name": "password", "value": "x"} and the like

  // The word that ends at `at`, quotes and blanks left out.
  Span word_before(std::size_t at) const {
    while (at > 0 && (is_quote(t_[at - 1]) || is_space(t_[at - 1]))) at--;
    auto from = at;
    while (from > 0 && in_name(t_[from - 1])) from--;
    return {from, at};
  }
  bool names_something(std::size_t from, std::size_t to) const {
    if (to <= from || !naming_name(t_.substr(from, to - from))) return false;
    auto k = to;
    while (is_quote(u_[k]) || is_blank(u_[k])) k++;
    return u_[k] == ':' || u_[k] == '=' || (u_[k] == '>' && from > 0 && t_[from - 1] == '<');
  }
  // Takes the value that is called so, if t_[from, to) is called `value`.
  void take(std::size_t from, std::size_t to) {
    if (!value_name(t_.substr(from, to - from))) return;
    if (tag_begins(from)) return element(from, to);
    auto k = to;
    bool quoted = false;
    for (; is_quote(u_[k]) || is_blank(u_[k]); k++) quoted |= is_quote(t_[k]);
    if (u_[k] == ':' || u_[k] == '=') value(from, to, k + 1, t_[k], u_.depth(k), quoted);
  }
  void paired(std::size_t at, std::size_t end) {
    auto sign = at;
    while (sign > 0 && (is_quote(t_[sign - 1]) || is_space(t_[sign - 1]) || t_[sign - 1] == '[')) sign--;
    if (sign == 0) return;
    char c = t_[--sign];
    if (c != ':' && c != '=' && c != '>') return;
    auto [from, to] = word_before(sign);
    if (c == '>' && (from == 0 || t_[from - 1] != '<')) return;
    if (to == from || !naming_name(t_.substr(from, to - from))) return;
    auto near = t_.substr(from - std::min<std::size_t>(from, 100), std::min<std::size_t>(from, 100));
    if (near.find("form-data") != kNone) return part(end);
    forward(from, end, c);
    backward(from);
  }
  // A field of multipart/form-data (RFC 7578): from the empty line to the boundary.
  void part(std::size_t at) {
    auto empty = t_.find("\n\r\n", at), other = t_.find("\n\n", at);
    auto from = empty < other ? empty + 3 : other == kNone ? kNone : other + 2;
    if (from == kNone || from >= t_.size()) return;
    auto to = std::min(t_.find("\n--", from), t_.size());
    if (to < t_.size() && t_[to - 1] == '\r') to--;
    if (to > from) add(from, to);
  }
  void forward(std::size_t from, std::size_t at, char sign) {
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
      auto to = at;
      while (to < t_.size() && in_name(t_[to])) to++;
      if (level == 0) {
        if (names_something(at, to) && same_name(from, at, to)) return;
        take(at, to);
      }
      at = to - 1;
    }
  }
  // Is it the name of the next thing, called as this one's is? "Attribute.2.Name" is as "Attribute.1.Name".
  bool same_name(std::size_t from, std::size_t at, std::size_t to) const {
    auto one = word_of(from), other = t_.substr(at, to - at);
    auto last = [](std::string_view name) { return name.substr(name.rfind('.') == kNone ? 0 : name.rfind('.') + 1); };
    return iequals(last(one), last(other));
  }
  std::string_view word_of(std::size_t at) const {
    auto to = at;
    while (to < t_.size() && in_name(t_[to])) to++;
    return t_.substr(at, to - at);
  }
  void backward(std::size_t at) {
    auto from = at;
    auto least = at - std::min(at, kFar);
    int level = 0;
    while (at > least) {
      char c = t_[at - 1];
      level += c == '}' || c == ']';
      if ((c == '{' || c == '[' || c == '(') && --level < 0) return;
      if (c == '<' && u_[at] != '/' && t_[at] != '!' && level == 0 && !is_letter(u_[at])) return;
      if (!in_name(c)) {
        at--;
        continue;
      }
      auto to = at;
      while (at > 0 && in_name(t_[at - 1])) at--;
      if (level != 0) continue;
      if (t_.substr(at, to - at) == "-" || (names_something(at, to) && same_name(from, at, to))) return;
      take(at, to);
    }
  }

  // --- "--password x", "--password", "x", "-u user:x", [["password", "x"]], PASSWORD 'x'
  void flag(std::size_t at, std::size_t end) {
    auto k = end;
    if (is_quote(u_[k])) k++;
    bool dashes = t_[at] == '-';
    bool password = icontains(t_.substr(at, end - at), "pass") && is_blank(u_[k]) && is_quote(u_[k + 1]);  // SQL
    if (!dashes && !password && (k == end || at == 0 || !begins_pair(at - 1))) return;
    auto gap = k;
    while (is_space(u_[k]) || u_[k] == ',') k++;
    if (k == gap || k >= t_.size() || t_[k] == '-') return;
    if (is_quote(t_[k])) {
      auto to = after_quoted(k);
      auto next = to;
      while (is_space(u_[next])) next++;
      if (dashes || password || u_[next] == ']' || u_[next] == ')' || to >= t_.size())
        add(k + 1, t_[to - 1] == t_[k] ? to - 1 : to);
    } else if (dashes) {
      auto to = k;
      while (to < t_.size() && !is_space(t_[to]) && !is_quote(t_[to])) to++;
      bool user = t_.substr(at, end - at).ends_with("u") || t_.substr(at, end - at).ends_with("user");
      auto colon = t_.substr(0, to).find(':', k);
      if (!user)
        add(k, to);
      else if (colon != kNone)
        add(colon + 1, to);
    }
  }

  // Does the word in quotes at `quote` begin a pair, "[password" in a list of lists, or arguments?
  bool begins_pair(std::size_t quote) const {
    auto open = quote;
    while (open > 0 && is_space(t_[open - 1])) open--;
    if (open == 0) return false;
    if (t_[--open] == '(') return true;
    while (open > 0 && is_space(t_[open - 1])) open--;
    return t_[open] == '[' && open > 0 && (t_[open - 1] == '[' || t_[open - 1] == ',');
  }

  // --- Where we are

  // How often the quotes are escaped of the string around the word under way; of a word in quotes the one around these.
  int inside() const { return inside_; }
  void look_around(std::size_t at, std::size_t end) {
    auto n = strings_.size();
    bool alone = at > 0 && t_[at - 1] == '"' && u_[end] == '"' && u_.depth(at - 1) == u_.depth(end);
    if (alone && n > 0 && strings_.back() == u_.depth(end)) n--;
    inside_ = n ? strings_[n - 1] : -1;
  }
  void note_quote(std::size_t at) {
    if (t_[at] == '\n' && u_.depth(at) == 0) strings_.clear();
    if (t_[at] != '"') return;
    int depth = u_.depth(at);
    while (!strings_.empty() && strings_.back() > depth) strings_.pop_back();
    if (!strings_.empty() && strings_.back() == depth)
      strings_.pop_back();
    else
      strings_.push_back(depth);
  }

  void add(std::size_t from, std::size_t to) {
    if (from >= to) return;
    spans_.push_back({from, to});
    if (from <= word_end_ + kNear) covered_ = std::max(covered_, to);
  }
  std::vector<Span> merged() {
    std::ranges::sort(spans_, {}, &Span::begin);
    std::vector<Span> all;
    for (auto [begin, end] : spans_) {
      if (!all.empty() && begin <= all.back().end)
        all.back().end = std::max(all.back().end, end);
      else
        all.push_back({begin, end});
    }
    for (auto& [begin, end] : all) begin = u_.from(begin), end = u_.from(end);
    return all;
  }

  Unfolded u_;
  std::string_view t_;
  Where where_;
  int within_;
  bool form_ = false;
  int oauth_ = -1;
  int inside_ = -1;
  std::size_t word_end_ = 0, covered_ = 0;
  std::vector<int> strings_;  // that are open: how often their quotes are escaped
  std::vector<Span> spans_;
};

}  // namespace

// A name, what a token begins with, an escape behind which either may stand, a user in a URL, the number of a bot, or a
// long word of base64.
bool may_hold_secrets(std::string_view text) {
  constexpr std::size_t kLongWord = 24, kNumber = 8;
  std::size_t run = 0, digits = 0;
  for (std::size_t i = 0; i < text.size(); i++) {
    char c = text[i];
    auto rest = text.substr(i);
    if (in_base64(c)) {
      if (++run == kLongWord) return true;
      digits = is_digit(c) ? digits + 1 : 0;
      if (may_begin_secret_name(rest) || may_begin_token(rest) || (c == '-' && rest.starts_with("----"))) return true;
    } else {
      if (c == '\\' || c == '%' || c == '@' || c == '\0' || c == '?' || c == '&' || (c == ':' && digits >= kNumber))
        return true;
      run = digits = 0;
    }
  }
  return false;
}

std::vector<Span> secrets_in(std::string_view text, Where where) { return Search(text, where, 0).run(); }

}  // namespace retrial::trace

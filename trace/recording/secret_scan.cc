#include "trace/recording/secret_scan.h"

#include <algorithm>

#include "base/text.h"
#include "trace/recording/secret_names.h"
#include "trace/recording/secret_shapes.h"
#include "trace/recording/unfold.h"

namespace retrial::trace {
namespace {

constexpr std::size_t kLongestName = 128;
constexpr std::size_t kNone = std::string_view::npos;

bool word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.' || static_cast<unsigned char>(c) >= 0x80;
}
bool quote(char c) { return c == '"' || c == '\'' || c == '`'; }
bool space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_in(char c, std::string_view set) { return set.find(c) != set.npos; }

struct Span {
  std::size_t begin = 0, end = 0;
};
struct Pair {
  Span name;
  std::size_t sign;  // behind it
  std::size_t object;
};

class Scan {
 public:
  Scan(std::string_view text, TextKind kind) : t_(text), all_(t_.text()), kind_(kind) {}

  std::vector<std::pair<std::size_t, std::size_t>> run() {
    while (at_ < t_.size()) step();
    named_beside();
    std::ranges::sort(found_);
    std::vector<std::pair<std::size_t, std::size_t>> parts;
    for (auto [begin, end] : found_) {
      if (!parts.empty() && begin <= parts.back().second)
        parts.back().second = std::max(parts.back().second, end);
      else
        parts.emplace_back(begin, end);
    }
    return parts;
  }

 private:
  void step() {
    char c = t_[at_];
    switch (c) {
      case ':':
        if (all_.substr(at_).starts_with("://")) {
          take(userinfo_at(t_, at_));
          at_ += 3;
          return;
        }
        [[fallthrough]];
      case '=':
        return pair();
      case '<':
        return element();
      case '-':
        if (all_.substr(at_).starts_with("-----") && take(pem_at(t_, at_, done_))) return;
        if (all_.substr(at_).starts_with("--") && argument()) return;
        break;
      case '{':
      case '[':
        objects_.push_back(at_ + 1);
        if (c == '[' && row()) return;
        break;
      case '}':
      case ']':
        if (!objects_.empty()) objects_.pop_back();
        break;
      default:
        if (word(c) && (at_ == 0 || !word(t_[at_ - 1]) || t_[at_ - 1] == '.' || t_[at_ - 1] == '-' ||
                        t_[at_ - 1] == '_' || t_.depth(at_ - 1) != t_.depth(at_)))
          if (auto shape = token_at(t_, at_); shape && take(shape)) return;
    }
    at_++;
  }

  // Marks a part, and goes on behind it.
  bool take(Shape shape) {
    if (!shape) return false;
    found_.emplace_back(t_.from(shape.begin), t_.from(shape.end));
    at_ = done_ = std::max(at_ + 1, shape.end);
    return true;
  }
  bool take(Span span) { return take(Shape{span.begin, span.end}); }

  std::string_view text(Span s) const { return all_.substr(s.begin, s.end - s.begin); }
  bool ends_level(std::size_t at, int depth) const { return t_.depth(at) <= depth; }

  // The name before `at`: a quoted one, or a word, with what may stand behind it left out.
  Span name_before(std::size_t at) const {
    auto least = std::max(done_, at > 2 * kLongestName ? at - 2 * kLongestName : 0);
    auto end = at;
    while (end > least && (t_[end - 1] == ' ' || t_[end - 1] == '\t' || t_[end - 1] == '?')) end--;
    if (end > least && quote(t_[end - 1])) {
      auto begin = --end;
      while (begin > least && !(t_[begin - 1] == t_[end] && t_.depth(begin - 1) == t_.depth(end))) begin--;
      if (begin > least || begin == 0 || begin == done_) return {begin, end};
      return {end, end};
    }
    while (end > least && t_[end - 1] == ']') {  // user[password]=, password[0]=
      auto open = all_.rfind('[', end - 1);
      if (open == kNone || open < least || end - open > kLongestName) break;
      bool index =
          std::ranges::all_of(all_.substr(open + 1, end - open - 2), [](char c) { return c >= '0' && c <= '9'; });
      if (!index) {
        end--;
        auto begin = open + 1;
        while (begin < end && quote(t_[begin])) begin++;
        while (end > begin && quote(t_[end - 1])) end--;
        return {begin, end};
      }
      end = open;
    }
    auto begin = end;
    while (begin > least && word(t_[begin - 1])) begin--;
    // "Recovery code: x": two more words of the line.
    for (int words = 0; words < 2 && begin > least && t_[begin - 1] == ' ' && t_[at] == ':'; words++) {
      auto before = begin - 1;
      while (before > least && word(t_[before - 1])) before--;
      if (before == begin - 1) break;
      begin = before;
    }
    return {begin, end};
  }

  bool secret(Span name, std::size_t sign) const {
    auto n = text(name);
    if (n.empty()) return false;
    if (secret_name(n)) return true;
    bool query = in_query(name.begin);
    if (iequals(n, "key")) return query && t_[sign] == '=';
    if (!iequals(n, "code")) return false;
    // OAuth's (RFC 6749 4.1.2), among what goes with it or random as it is; others are told apart by theirs.
    for (auto beside : {"grant_type", "redirect_uri", "code_verifier", "client_id"})
      if (all_.find(beside) != kNone) return true;
    if (t_[sign] == '=' && (query || name.begin == 0) && all_.find("state=") != kNone) return true;
    auto v = value(name, sign);
    return v.end == t_.size() ? query : looks_random(text(v));
  }
  bool in_query(std::size_t at) const {
    if (at == 0 || !is_in(t_[at - 1], "?&;")) return false;
    if (kind_ == TextKind::target) return true;
    auto start = all_.substr(0, at).find_last_of("\"' \r\n<>");
    return all_.substr(start == kNone ? 0 : start, at - (start == kNone ? 0 : start)).find('?') != kNone;
  }

  // ':' or '='.
  void pair() {
    auto name = name_before(at_);
    auto sign = at_;
    if (name.begin == name.end) {
      at_++;
      return;
    }
    auto object = objects_.empty() ? 0 : objects_.back();
    pairs_.push_back({name, sign, object});
    if (iequals(text(name), "name") && part(name, sign)) return;
    if (secret(name, sign) && take(value(name, sign))) return;
    at_ = sign + 1;
  }

  // Content-Disposition: form-data; name="password" (RFC 7578 4.2): up to the next boundary.
  bool part(Span name, std::size_t sign) {
    auto line = all_.rfind('\n', name.begin);
    auto before = all_.substr(line == kNone ? 0 : line, name.begin - (line == kNone ? 0 : line));
    if (!icontains(before, "form-data") || !secret_name(text(value(name, sign)))) return false;
    auto crlf = all_.find("\r\n\r\n", sign), lf = all_.find("\n\n", sign);
    auto begin = std::min(crlf == kNone ? kNone : crlf + 4, lf == kNone ? kNone : lf + 2);
    if (begin == kNone) return false;
    auto end = std::min(all_.find("\r\n--", begin), all_.find("\n--", begin));
    return take(Span{begin, std::min(end, t_.size())});
  }

  // <Password Type="x">…</Password>, with whatever is within.
  void element() {
    auto begin = at_ + 1;
    auto end = begin;
    while (word(t_[end]) || t_[end] == ':') end++;
    auto tag = all_.substr(begin, end - begin);
    auto name = tag.substr(tag.rfind(':') == kNone ? 0 : tag.rfind(':') + 1);
    auto object = objects_.empty() ? 0 : objects_.back();
    if (name.empty()) {
      at_++;
      return;
    }
    auto close = end;
    for (char in = 0; close < t_.size() && (in || t_[close] != '>'); close++)
      if (quote(t_[close])) in = in == t_[close] ? 0 : in ? in : t_[close];
    if (close >= t_.size()) {
      at_ = end;
      return;
    }
    if (t_[close - 1] != '/') {
      auto name_begin = end - name.size();
      if (secret_name(name)) {
        take(Span{close + 1, element_end(close + 1, tag)});
        return;
      }
      pairs_.push_back({{name_begin, end}, close, object});
    }
    at_ = end;
  }
  std::size_t element_end(std::size_t begin, std::string_view tag) const {
    for (auto end = begin; (end = all_.find("</", end)) != kNone; end++)
      if (all_.substr(end + 2).starts_with(tag) && !word(t_[end + 2 + tag.size()])) return end;
    return t_.size();
  }

  // --password x, and "--password","x".
  bool argument() {
    auto begin = at_ + 2, end = begin;
    if (at_ > 0 && word(t_[at_ - 1])) return false;
    while (word(t_[end])) end++;
    if (end == begin || !secret_name(all_.substr(begin, end - begin))) return false;
    auto value = end;
    bool quoted = quote(t_[value]);
    if (quoted) value++;
    auto gap = value;
    while (space(t_[value]) || (quoted && t_[value] == ',')) value++;
    if (value == gap || t_[value] == '-' || value >= t_.size()) return false;
    if (quote(t_[value])) return take(string(value));
    auto stop = value;
    while (stop < t_.size() && !space(t_[stop]) && !quote(t_[stop])) stop++;
    return take(Span{value, stop});
  }

  // ["password", "x"] among others of its kind.
  bool row() {
    auto before = at_;
    while (before > 0 && space(t_[before - 1])) before--;
    if (before == 0 || !is_in(t_[before - 1], "[,")) return false;
    auto name = at_ + 1;
    while (space(t_[name])) name++;
    if (!quote(t_[name])) return false;
    auto n = string(name);
    if (n.end - n.begin > kLongestName || !secret_name(text(n))) return false;
    auto comma = n.end + 1;
    while (space(t_[comma])) comma++;
    if (t_[comma++] != ',') return false;
    while (space(t_[comma])) comma++;
    auto value = quote(t_[comma]) ? string(comma) : Span{};
    objects_.pop_back();
    return take(value);
  }

  // Of the quotes at `at`: what is between them.
  Span string(std::size_t at) const {
    auto end = at + 1;
    auto d = t_.depth(at);
    if (t_[at] == '"' && t_[at + 1] == '"' && t_[at + 2] == '"') {  // TOML, Python
      auto close = all_.find("\"\"\"", at + 3);
      return {at + 3, std::min(close, t_.size())};
    }
    while (end < t_.size() && !(t_[end] == t_[at] && ends_level(end, d))) end++;
    return {at + 1, end};
  }

  // { … } and [ … ], strings passed over.
  std::size_t brackets_end(std::size_t at) const {
    int open = 0;
    while (at < t_.size()) {
      if (t_[at] == '"') {
        at = string(at).end;
      } else if (is_in(t_[at], "{[")) {
        open++;
      } else if (is_in(t_[at], "}]") && --open == 0) {
        return at + 1;
      }
      at++;
    }
    return t_.size();
  }

  // The value of a name, from the sign behind it.
  Span value(Span name, std::size_t sign) const {
    auto begin = sign + 1;
    if (t_[sign] == '>') {
      return {begin, std::min(all_.find("</", begin), t_.size())};
    }
    while (is_in(t_[begin], "=>") && begin < t_.size() && begin < sign + 3) begin++;
    bool quoted_name = name.end < sign && quote(t_[name.end]);
    if (begin < t_.size() && t_[begin] == '\n' && t_[sign] == '=') return {begin, begin};
    while (t_[begin] == ' ' || t_[begin] == '\t' || (quoted_name && space(t_[begin]) && begin < t_.size())) begin++;
    char c = t_[begin];
    if (quote(c)) return string(begin);
    if ((c == '{' || c == '[') && !is_in(t_[begin + 1], "{")) return {begin, brackets_end(begin)};
    return plain(name, sign, begin, quoted_name);
  }

  Span plain(Span name, std::size_t sign, std::size_t begin, bool quoted_name) const {
    auto d = t_.depth(sign);
    auto end_at = [&](std::string_view set) {
      auto end = begin;
      while (end < t_.size() && !(is_in(t_[end], set) && ends_level(end, d))) end++;
      return end;
    };
    if (quoted_name) {
      auto end = end_at(",}] \r\n\t\"");
      for (auto literal : {"null", "true", "false", "None", "True", "False"})
        if (text({begin, end}) == literal) return {begin, begin};
      return {begin, end};
    }
    auto line = name.begin;
    while (line > 0 && is_in(t_[line - 1], " \t-")) line--;
    bool starts_line = (line == 0 || t_[line - 1] == '\n') && kind_ == TextKind::body;
    bool colon = t_[sign] == ':';
    if (starts_line && colon) {
      auto end = end_at("\n\"");
      auto first = text({begin, end});
      while (!first.empty() && space(first.back())) first.remove_suffix(1);
      bool block = first.empty() || is_in(first.front(), "|>&!");
      return {begin, block ? indented_end(end, name.begin - (line == 0 ? 0 : line)) : begin + first.size()};
    }
    if (starts_line) {
      auto end = end_at("&\r\n\"<");
      // A line of a form, or of NAME=value: "PASSWORD=two words".
      return {begin, end};
    }
    if (colon) return {begin, end_at(",;&}]\"'<\r\n")};
    return {begin, end_at(kind_ == TextKind::target ? "&;#\"' <>" : "&;\"' \r\n<,)}]")};
  }

  // YAML: all lines that stand further right.
  std::size_t indented_end(std::size_t at, std::size_t indent) const {
    while (at < t_.size() && t_[at] == '\n') {
      auto first = at + 1;
      while (t_[first] == ' ' || t_[first] == '\t') first++;
      bool list = first - at - 1 == indent && t_[first] == '-' && t_[first + 1] == ' ';
      bool blank = t_[first] == '\n' || t_[first] == '\r';
      if (first < t_.size() && !blank && !list && first - at - 1 <= indent) break;
      auto end = all_.find('\n', at + 1);
      at = end == kNone ? t_.size() : end;
    }
    return at;
  }

  // {"name": "password", "value": "x"}, in either order, in whatever format.
  void named_beside() {
    for (std::size_t n = 0; n < pairs_.size(); n++) {
      if (!naming_name(text(pairs_[n].name))) continue;
      auto called = value(pairs_[n].name, pairs_[n].sign);
      if (called.end - called.begin > kLongestName || !secret_name(text(called))) continue;
      for (auto m = n + 1; m < pairs_.size() && beside(n, m); m++)
        if (pairs_[m].object == pairs_[n].object && value_of(m)) break;
      for (auto m = n; m-- > 0 && beside(n, m);)
        if (pairs_[m].object == pairs_[n].object && value_of(m)) break;
    }
  }
  // In the same brackets; where there are none, up to the next name.
  bool beside(std::size_t n, std::size_t other) const {
    return pairs_[n].object != 0 || !iequals(text(pairs_[n].name), text(pairs_[other].name));
  }
  bool value_of(std::size_t m) {
    auto& p = pairs_[m];
    if (!value_name(text(p.name))) return false;
    auto v = value(p.name, p.sign);
    if (v.begin < v.end) found_.emplace_back(t_.from(v.begin), t_.from(v.end));
    return true;
  }

  Unfolded t_;
  std::string_view all_;
  TextKind kind_;
  std::size_t at_ = 0, done_ = 0;
  std::vector<std::size_t> objects_;  // open brackets: where each begins, and 1
  std::vector<Pair> pairs_;
  std::vector<std::pair<std::size_t, std::size_t>> found_;
};

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> secrets_in(std::string_view text, TextKind kind) {
  return Scan(text, kind).run();
}

}  // namespace retrial::trace

#include "trace/secrets/search.h"

#include "base/text.h"
#include "trace/secrets/names.h"
#include "trace/secrets/shapes.h"
#include "trace/secrets/words.h"

namespace retrial::trace {

std::vector<Span> Search::run() {
  if (!u_.whole()) return {{0, u_.from(t_.size())}};
  form_ = where_ == Where::body && is_form();
  armour();
  if (where_ == Where::body) tables();
  for (std::size_t at = 0; at < t_.size();) {
    if (at < covered_ || !in_name(t_[at]))  // in what goes anyway nothing more is looked for
      note_quote(at++);
    else
      at = word(at, name_end(at));
  }
  return merged();
}

// name=value&name=value: all but '&' may stand in a value. Other lists of name=value have blanks, ';' or lines.
bool Search::is_form() const {
  auto sign = t_.find('=');
  if (sign == kNone || sign == 0) return false;
  for (char c : t_.substr(0, sign))
    if (!in_name(c) && c != '[' && c != ']' && c != '+') return false;
  bool lines = trim(t_).find('\n') != kNone && u_.depth(t_.find('\n')) == 0;
  return !lines && (t_.find('&') != kNone || t_.find_first_of("; ,") == kNone);
}

// Looks at t_[at, end), and says where to go on.
std::size_t Search::word(std::size_t at, std::size_t end) {
  look_around(at, end);
  word_end_ = end;
  if (auto to = shaped(at, end); to > at) return to;
  if (auto to = folded(at); to > at) return to;
  user(end);
  auto name = text(at, end);
  if (secret_name(name)) {
    assigned(at, end);
    paired(at, end);
  } else if (iequals(name, "key") ? u_[end] == '=' && in_url(at) : iequals(name, "code") && is_code(at, end)) {
    assigned(at, end);
  } else if (auto from = two_words(at, end); from != kNone) {
    assigned(from, end);
  }
  if (name == "-u" || name == "--user" || name == "--proxy-user") flag(at, end);
  return end;
}

// "Recovery code: x"
std::size_t Search::two_words(std::size_t at, std::size_t end) const {
  auto sign = end + (is_quote(u_[end]) ? 1 : 0);
  if (u_[sign] != ':' || at < 2 || t_[at - 1] != ' ') return kNone;
  auto from = name_begin(at - 1);
  // Both together, and not the first alone, whose own end says that it is none: "SSHKey.GetByName failed: …".
  auto first = text(from, at - 1);
  bool both = from + 1 < at && !tells_of_secret(first) && secret_name(text(from, end));
  return both ? from : kNone;
}

std::size_t Search::shaped(std::size_t at, std::size_t end) {
  for (auto i = at; i < end; i++) {
    if (i > at && is_alnum(t_[i - 1]) && u_.depth(i - 1) == u_.depth(i)) continue;
    auto shape = token_at(u_, i);
    if (!shape) continue;
    add(shape.begin, shape.end);
    return std::max(shape.end, end);
  }
  return at;
}

// Text in base64 that holds secrets goes as a whole.
std::size_t Search::folded(std::size_t at) {
  if (within_ >= 2 || (at > 0 && in_base64(t_[at - 1]))) return at;
  auto end = skip(at, in_base64);
  auto inside = text_in_base64(text(at, end));
  if (inside.empty() || Search(inside, Where::body, within_ + 1).run().empty()) return at;
  end = skip(end, [](char c) { return c == '='; });
  add(at, end);
  return end;
}

// A user's password: in a URL, or as Go's MySQL has it, user:password@tcp(host)/name.
void Search::user(std::size_t end) {
  if (u_[end] != ':') return;
  if (t_.substr(end).starts_with("://")) {
    auto shape = userinfo_at(u_, end);
    return add(shape.begin, shape.end);
  }
  constexpr std::size_t kLongest = 256;  // of a password, looked through at each ':'
  auto near = t_.substr(end, kLongest);
  near = near.substr(0, near.find_first_of(" \r\n\"'<>"));
  auto host = std::min(near.find("@tcp("), near.find("@unix("));
  if (host != kNone) add(end + 1, end + host);
}

bool Search::in_url(std::size_t at) const {
  if (where_ == Where::target) return true;
  for (auto i = at; i > 0 && at - i < kFar; i--) {
    char c = t_[i - 1];
    if (is_space(c) || is_quote(c) || c == '<' || c == '>') return false;
    if (c == '?') return true;
  }
  return false;
}

bool Search::oauth() {
  if (oauth_ < 0) oauth_ = std::ranges::any_of(kOauthNames, [&](auto name) { return t_.find(name) != kNone; });
  return oauth_;
}

// OAuth's (RFC 6749 4.1.2), or a key in a query: of an error or a country `code` says a word or a short number.
bool Search::is_code(std::size_t at, std::size_t end) {
  if (oauth()) return true;
  if (u_[end] != '=' || !(form_ || in_url(at))) return false;
  auto to = end + 1;
  bool digit = false;
  for (; to < t_.size() && t_[to] != '&' && !is_space(t_[to]) && !is_quote(t_[to]); to++) digit |= is_digit(t_[to]);
  return (digit && to - end > 6) || to - end > 24;
}

void Search::look_around(std::size_t at, std::size_t end) {
  auto n = strings_.size();
  bool alone = at > 0 && t_[at - 1] == '"' && u_[end] == '"' && u_.depth(at - 1) == u_.depth(end);
  if (alone && n > 0 && strings_.back() == u_.depth(end)) n--;
  inside_ = n ? strings_[n - 1] : -1;
}

void Search::note_quote(std::size_t at) {
  if (t_[at] == '\n' && u_.depth(at) == 0) strings_.clear();
  if (t_[at] != '"') return;
  int depth = u_.depth(at);
  while (!strings_.empty() && strings_.back() > depth) strings_.pop_back();
  if (!strings_.empty() && strings_.back() == depth)
    strings_.pop_back();
  else
    strings_.push_back(depth);
}

void Search::add(std::size_t from, std::size_t to) {
  constexpr std::size_t kNear = 16;  // where a value mostly is
  if (from >= to) return;
  spans_.push_back({from, to});
  if (from <= word_end_ + kNear) covered_ = std::max(covered_, to);
}

std::vector<Span> Search::merged() {
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

std::vector<Span> secrets_in(std::string_view text, Where where) { return Search(text, where, 0).run(); }

}  // namespace retrial::trace

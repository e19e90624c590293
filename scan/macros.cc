#include "scan/macros.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"

namespace retrial::scan {
namespace {

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Past a text, a character or a comment that begins at `at`; `at` itself if none does.
std::size_t past_quoted(std::string_view source, std::size_t at) {
  auto rest = source.substr(at);
  if (rest.starts_with("//")) return std::min(source.find('\n', at), source.size());
  if (rest.starts_with("/*")) return std::min(source.find("*/", at + 2), source.size() - 2) + 2;
  bool character = rest.size() > 2 && rest[0] == '\'' && (rest[1] == '\\' || rest[2] == '\'');  // no lifetime
  if (!character && !rest.starts_with('"')) return at;
  for (std::size_t i = at + 1; i < source.size(); i++) {
    if (source[i] == '\\')
      i++;
    else if (source[i] == source[at])
      return i + 1;
  }
  return source.size();
}

// Past the group in brackets of any kind that begins at `at`; npos: it has no end.
std::size_t past_group(std::string_view source, std::size_t at) {
  int depth = 0;
  for (auto i = at; i < source.size();) {
    if (auto past = past_quoted(source, i); past != i) {
      i = past;
      continue;
    }
    char c = source[i++];
    depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
    if (depth == 0) return i;
  }
  return source.npos;
}

std::size_t past_space(std::string_view source, std::size_t at) {
  while (at < source.size()) {
    auto past = source[at] == '/' ? past_quoted(source, at) : at;
    if (past == at && !std::isspace(static_cast<unsigned char>(source[at]))) break;
    at = std::max(past, at + 1);
  }
  return at;
}

bool is_group(std::string_view source, std::size_t at) {
  return at < source.size() && (source[at] == '{' || source[at] == '(' || source[at] == '[');
}

std::string lines_of(std::string_view text) {
  return std::string(static_cast<std::size_t>(std::ranges::count(text, '\n')), '\n');
}

// Is a parameter evaluated there: looked at, set, awaited?
bool is_evaluated(std::string_view before, std::string_view behind) {
  before = trim(before);
  if (behind.starts_with(".await") || behind.starts_with('?')) return true;
  if (behind.starts_with('.')) return false;  // `$client.get()` is one call
  if (before.ends_with('=')) {
    auto sign = before.size() > 1 ? before[before.size() - 2] : ' ';
    return sign != '=' && sign != '<' && sign != '>' && sign != '!';
  }
  for (std::string_view word : {"match", "return", "break"})
    if (before.ends_with(word) && (before.size() == word.size() || !in_word(before[before.size() - word.size() - 1])))
      return true;
  return false;
}

std::string opened(std::string_view body) {
  std::string out;
  for (std::size_t i = 0; i < body.size();) {
    if (body[i] != '$') {
      out += body[i++];
      continue;
    }
    auto end = i + 1;
    while (end < body.size() && in_word(body[end])) end++;
    out += body.substr(i + 1, end - i - 1);
    if (end > i + 1 && is_evaluated(body.substr(0, i), body.substr(end))) out += "()";
    i = end;
  }
  return out;
}

// The rules within `{ (pattern) => { body }; … }`, each as a function.
std::string rules_of(std::string_view name, std::string_view group) {
  std::string out;
  std::size_t written = 0;
  for (auto at = past_space(group, 1); is_group(group, at);) {
    auto arrow = past_group(group, at);
    if (arrow == group.npos) break;
    arrow = past_space(group, arrow);
    if (!group.substr(arrow).starts_with("=>")) break;
    auto body = past_space(group, arrow + 2), past = is_group(group, body) ? past_group(group, body) : group.npos;
    if (past == group.npos) break;
    out += lines_of(group.substr(written, body - written)) + "fn " + std::string(name) + "() {" +
           opened(group.substr(body + 1, past - body - 2)) + "}";
    written = past;
    at = past_space(group, past);
    if (at < group.size() && group[at] == ';') at = past_space(group, at + 1);
  }
  return out + lines_of(group.substr(written));
}

}  // namespace

std::string with_macros_as_functions(std::string_view source) {
  constexpr std::string_view kWord = "macro_rules!";
  std::string out;
  std::size_t written = 0;
  for (auto at = source.find(kWord); at != source.npos; at = source.find(kWord, at + 1)) {
    auto name = past_space(source, at + kWord.size()), end = name;
    while (end < source.size() && in_word(source[end])) end++;
    auto group = past_space(source, end), past = is_group(source, group) ? past_group(source, group) : source.npos;
    if (at < written || end == name || past == source.npos) continue;
    out += source.substr(written, at - written);
    out += lines_of(source.substr(at, group - at));
    out += rules_of(source.substr(name, end - name), source.substr(group, past - group));
    written = past;
  }
  return out + std::string(source.substr(written));
}

}  // namespace retrial::scan

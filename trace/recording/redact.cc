#include "trace/recording/redact.h"

#include "base/text.h"
#include "trace/secrets/secrets.h"

namespace retrial::trace {
namespace {

bool keeps_bodies = true;
constexpr std::size_t kLongest = 16u << 10;  // of a longer text that may hold secrets the rest goes: hardly a header is

using Spares = bool (*)(std::string_view);  // what looks like a secret by where it stands, and is none

// "token: 503": what came of asking for one.
bool is_status(std::string_view word) {
  return word.size() == 3 && (word[0] == '4' || word[0] == '5') && is_digit(word[1]) && is_digit(word[2]);
}

void replace(std::string_view text, Where where, std::string& out, Spares spares) {
  auto rest = text.substr(std::min(text.size(), kLongest));
  text = text.substr(0, kLongest);
  std::size_t done = 0;
  for (auto [begin, end] : secrets_in(text, where)) {
    if (spares && spares(text.substr(begin, end - begin))) continue;
    out.append(text.substr(done, begin - done)).append(kRedacted);
    done = end;
  }
  out.append(text.substr(done)).append(rest.empty() ? "" : kRedacted);
}

void redact(std::string_view text, Where where, std::string& out, Spares spares = nullptr) {
  if (may_hold_secrets(text))
    replace(text, where, out, spares);
  else
    out.append(text);
}
}  // namespace

// Words that begin with a capital, or stand alone: "Authenticate", "AuthService", "package.auth", not "ListAuthors".
bool secret_call(std::string_view path) {
  static constexpr std::string_view kWords[] = {"auth",   "authenticate", "authentication", "login", "password",
                                                "passwd", "secret",       "credential",     "token"};
  auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  for (std::size_t at = 0; at < path.size();) {
    if (!is_letter(path[at])) {
      at++;
      continue;
    }
    auto end = at + 1;
    while (end < path.size() && is_lower(path[end])) end++;
    auto word = path.substr(at, end - at);
    if (word.size() > 4 && word.ends_with('s')) word.remove_suffix(1);
    for (auto known : kWords)
      if (iequals(word, known)) return true;
    at = end;
  }
  return false;
}

void redact_target(std::string_view target, std::string& out) { redact(target, Where::target, out); }
void redact_header(std::string_view name, std::string_view value, std::string& out) {
  if (secret_name(name))
    out.append(kRedacted);
  else
    redact_value(value, out);
}
bool has_secrets(std::string_view value) {
  return may_hold_secrets(value) && (value.size() > kLongest || !secrets_in(value, Where::header).empty());
}
void redact_value(std::string_view value, std::string& out) { redact(value, Where::header, out); }
void redact_body(std::string_view sample, std::string& out) {
  if (keeps_bodies) redact(sample, Where::body, out);
}
void keep_no_bodies() { keeps_bodies = false; }

std::string redacted(std::string_view text) {
  std::string out;
  redact(text, Where::body, out, is_status);
  return out;
}

std::vector<std::string> redacted_command(const std::vector<std::string>& command) {
  std::vector<std::string> words;
  for (std::size_t n = 0; n < command.size(); n++) {
    std::string_view before = n ? std::string_view(command[n - 1]) : std::string_view();
    bool value = before.starts_with('-') && before.find('=') == before.npos && secret_name(before);
    words.push_back(value && !command[n].starts_with('-') ? std::string(kRedacted) : redacted(command[n]));
    // "-u user:password", as curl has it
    if (auto colon = command[n].find(':'); (before == "-u" || before == "--user") && colon != std::string::npos)
      words.back() = command[n].substr(0, colon + 1).append(kRedacted);
  }
  return words;
}

}  // namespace retrial::trace

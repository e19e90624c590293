#include "trace/recording/redact.h"

#include <array>
#include <bit>
#include <cstdint>

#include "base/text.h"

namespace retrial::trace {
namespace {

// Lower case, with '-' and '_' left out: "x-api-key", "api_key" and "apiKey" are one name.
constexpr std::string_view kParts[] = {"token",      "secret",    "password",      "passwd",   "passphrase",
                                       "signature",  "apikey",    "authorization", "cookie",   "credential",
                                       "accountkey", "accesskey", "privatekey",    "sharedkey"};
constexpr std::string_view kWhole[] = {"sig", "pwd", "auth", "jwt", "sas"};
constexpr std::string_view kNoSecrets[] = {"idempot",      "clienttoken",      "requesttoken", "nexttoken",
                                           "continuation", "pagetoken",        "pagingtoken",  "syncmarker",
                                           "tokentype",    "cancellationtoken"};

char fold(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// Which parts begin with these two letters, a bit each: nearly every name is done with after one look at each pair.
constexpr std::size_t pair_of(char a, char b) { return static_cast<std::size_t>((a & 31) << 5 | (b & 31)); }
constexpr auto kPairs = [] {
  std::array<std::uint16_t, 1024> pairs{};
  static_assert(std::size(kParts) <= 16);
  for (std::size_t i = 0; i < std::size(kParts); i++)
    pairs[pair_of(kParts[i][0], kParts[i][1])] |= static_cast<std::uint16_t>(1u << i);
  return pairs;
}();

// Does `name` go on with `part`, its '-' and '_' left out?
bool goes_on(std::string_view name, std::string_view part) {
  std::size_t matched = 0;
  for (char c : name) {
    if (c == '-' || c == '_') continue;
    if (fold(c) != part[matched]) return false;
    if (++matched == part.size()) return true;
  }
  return false;
}
template <std::size_t N>
bool contains_one_of(std::string_view name, const std::string_view (&parts)[N]) {
  for (std::size_t i = 0; i + 1 < name.size(); i++)
    for (auto part : parts)
      if (goes_on(name.substr(i), part)) return true;
  return false;
}
bool secret_key(std::string_view name) { return secret_name(name) || iequals(name, "key"); }

bool word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

// Replaces the value at `text` (what follows a name and its ':' or '='), and says where it ends.
std::size_t value_end(std::string_view text, std::size_t at, bool json) {
  if (!json) return std::min(text.find_first_of("&;\"' \r\n<", at), text.size());
  if (at < text.size() && text[at] == '"') {
    for (auto i = at + 1; i < text.size(); i++) {
      if (text[i] == '\\') {
        i++;
      } else if (text[i] == '"') {
        return i + 1;
      }
    }
    return text.size();
  }
  if (at < text.size() && (text[at] == '{' || text[at] == '['))
    return at;  // fields of its own, each looked at by itself
  return std::min(text.find_first_of(",}] \r\n", at), text.size());
}
}  // namespace

bool secret_name(std::string_view name) {
  if (name.size() <= 4) {
    for (auto whole : kWhole)
      if (iequals(name, whole)) return true;
    return false;
  }
  for (std::size_t i = 0; i + 1 < name.size(); i++) {
    for (unsigned parts = kPairs[pair_of(name[i], name[i + 1])]; parts != 0; parts &= parts - 1)
      if (goes_on(name.substr(i), kParts[std::countr_zero(parts)])) return !contains_one_of(name, kNoSecrets);
  }
  return false;
}

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

void redact_target(std::string_view target, std::string& out) {
  auto at = target.find('?');
  bool path = target.starts_with('/');  // has no user and password
  if (auto scheme = path ? target.npos : target.substr(0, at).find("://"); scheme != target.npos) {
    auto authority = scheme + 3;
    auto user = target.substr(0, std::min(target.find('/', authority), at)).rfind('@');
    if (user != target.npos && user >= authority) {
      auto colon = target.find(':', authority);
      if (colon < user) {
        out.append(target.substr(0, colon + 1)).append(kRedacted);
        target.remove_prefix(user);
        at = target.find('?');
      }
    }
  }
  if (at == target.npos) {
    out.append(target);
    return;
  }
  out.append(target.substr(0, at + 1));
  for (auto rest = target.substr(at + 1);;) {
    auto end = rest.find_first_of("&;#");
    auto pair = rest.substr(0, end);
    auto equals = pair.find('=');
    bool secret = equals != pair.npos &&
                  (pair.substr(0, equals).find('%') == pair.npos ? secret_key(pair.substr(0, equals))
                                                                 : secret_key(percent_decode(pair.substr(0, equals))));
    if (secret)
      out.append(pair.substr(0, equals + 1)).append(kRedacted);
    else
      out.append(pair);
    if (end == rest.npos) return;
    out += rest[end];
    rest.remove_prefix(end + 1);
  }
}

void redact_header(std::string_view name, std::string_view value, std::string& out) {
  if (secret_name(name))
    out.append(kRedacted);
  else
    redact_value(value, out);
}
void redact_value(std::string_view value, std::string& out) {
  if (value.size() > 4 && (value.find('?') != value.npos || value.find("://") != value.npos))
    redact_target(value, out);
  else
    out.append(value);
}

// From one ':', '=' or '>' to the next, looking back for the name before it. That is one memchr a field.
void redact_body(std::string_view sample, std::string& out) {
  auto first = sample.find_first_not_of(" \t\r\n");
  if (first == sample.npos) {
    out.append(sample);
    return;
  }
  bool xml = sample[first] == '<';
  bool json = sample[first] == '{' || sample[first] == '[';
  std::size_t done = 0;
  for (std::size_t at = 0; at < sample.size();) {
    auto sign = sample.find(json ? ':' : xml ? '>' : '=', at);
    if (json || xml) {  // a URL in a field may carry a signature of its own
      auto equals = sample.substr(0, sign).find('=', at);
      if (equals != sample.npos) sign = equals;
    }
    if (sign == sample.npos) break;
    at = sign + 1;
    bool colon = sample[sign] == ':';
    auto name_end = sign;
    if (colon)
      while (name_end > done && (sample[name_end - 1] == '"' || sample[name_end - 1] == ' ')) name_end--;
    auto name = name_end;
    while (name > done && word(sample[name - 1])) name--;
    if (!secret_name(sample.substr(name, name_end - name))) continue;
    if (sample[sign] == '>' && (name == 0 || (sample[name - 1] != '<' && sample[name - 1] != ':'))) continue;
    auto value = at;
    while (colon && value < sample.size() && sample[value] == ' ') value++;
    auto end = sample[sign] == '>' ? std::min(sample.find('<', value), sample.size()) : value_end(sample, value, colon);
    if (end == value) continue;
    out.append(sample.substr(done, value - done));
    bool quoted = colon && sample[value] == '"';
    out.append(quoted ? "\"" : "").append(kRedacted).append(quoted ? "\"" : "");
    done = at = end;
  }
  out.append(sample.substr(done));
}

}  // namespace retrial::trace

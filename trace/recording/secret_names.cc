#include "trace/recording/secret_names.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/text.h"

namespace retrial::trace {
namespace {

using Words = std::span<const std::string_view>;

// Names in lower case and without '-', '_' and the like: "x-api-key", "api_key" and "apiKey" are one name.
// A secret wherever a name contains one of these,
constexpr std::string_view kAnywhere[] = {"token",          "secret",           "password",
                                          "passwd",         "passphrase",       "passcode",
                                          "passwort",       "signature",        "authorization",
                                          "cookie",         "credential",       "apikey",
                                          "accountkey",     "accesskey",        "privatekey",
                                          "privkey",        "sharedkey",        "subscriptionkey",
                                          "functionskey",   "functionkey",      "hostkey",
                                          "masterkey",      "encryptionkey",    "signingkey",
                                          "authkey",        "appkey",           "applicationkey",
                                          "servicekey",     "storagekey",       "deploykey",
                                          "sessionkey",     "customerkey",      "licensekey",
                                          "writekey",       "saskey",           "hmackey",
                                          "sshkey",         "adminkey",         "rootkey",
                                          "clientkey",      "consumerkey",      "securitykey",
                                          "webhookkey",     "integrationkey",   "kmskey",
                                          "presharedkey",   "connectionstring", "samlresponse",
                                          "codeverifier",   "recoverycode",     "backupcode",
                                          "onetimecode",    "verificationcode", "authorizationcode",
                                          "authcode",       "otpcode",          "mfacode",
                                          "smscode",        "totpcode",         "devicecode",
                                          "usercode",       "accesscode",       "securitycode",
                                          "activationcode", "resetcode",        "confirmationcode",
                                          "logincode",      "clientassertion",  "mnemonic",
                                          "seedphrase",     "bearer",           "passkey",
                                          "dbpass",         "userpass",         "smtppass",
                                          "mailpass",       "ftppass",          "rootpass",
                                          "sqlpass",        "pgpass",           "jwt",
                                          "sessid"};
// where its last word is one of these,
constexpr std::string_view kLast[] = {"sig",  "pwd",  "pswd", "psw",     "pw",   "pass", "auth",     "sas",
                                      "otp",  "totp", "pin",  "cvv",     "cvc",  "psk",  "tan",      "creds",
                                      "cred", "mfa",  "dsn",  "session", "hotp", "2fa",  "assertion"};
// and where it ends with one of these.
constexpr std::string_view kEnd[] = {"sessionid", "pwd", "otp"};
// Not where it contains one of these: what calls are told apart by,
constexpr std::string_view kKept[] = {"idempot", "clienttoken", "requesttoken", "nexttoken", "continuation",
                                      "pagetoken", "pagingtoken", "synctoken", "syncmarker", "tokentype",
                                      "cancellationtoken", "skiptoken", "deltatoken", "resumetoken", "creationtoken",
                                      "starttoken", "cursortoken", "changetoken", "canceltoken", "pagination",
                                      "previoustoken", "prevtoken", "deduplication", "correlation", "consistencytoken",
                                      // and words of their own.
                                      "tokeniz", "tokenis", "secretar"};
// nor where the last word says that this is something about the secret.
constexpr std::string_view kAbout[] = {
    "count",    "counts",  "type",     "types",     "expiry", "expires",   "expiration", "in",        "ttl",
    "lifetime", "length",  "len",      "size",      "limit",  "limits",    "max",        "min",       "policy",
    "policies", "name",    "names",    "endpoint",  "url",    "uri",       "enabled",    "required",  "changed",
    "updated",  "created", "at",       "date",      "time",   "timestamp", "version",    "algorithm", "alg",
    "method",   "methods", "scope",    "scopes",    "usage",  "used",      "strength",   "format",    "index",
    "price",    "cost",    "rate",     "remaining", "age",    "budget",    "service",    "consent",   "change",
    "manager",  "status",  "provider", "issuer"};
// LLMs count tokens.
constexpr std::string_view kCounted[] = {"max",       "min",   "total",     "num",   "prompt",    "completion", "input",
                                         "output",    "count", "reasoning", "cache", "cached",    "used",       "limit",
                                         "remaining", "per",   "audio",     "text",  "prediction"};
constexpr std::string_view kNaming[] = {"name", "names",  "key",      "field",   "parameter", "param",     "variable",
                                        "var",  "header", "property", "setting", "option",    "env",       "id",
                                        "k",    "n",      "type",     "kind",    "label",     "attribute", "fieldname"};
constexpr std::string_view kValue[] = {"value",    "values",      "val",        "v",           "content",
                                       "contents", "data",        "stringdata", "default",     "string",
                                       "text",     "stringvalue", "plaintext",  "defaultvalue"};

std::vector<std::string>& users_names() {
  static std::vector<std::string> names;
  return names;
}

constexpr bool upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr char fold(char c) { return upper(c) ? static_cast<char>(c + 32) : c; }
constexpr bool counts(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool is_one_of(std::string_view word, Words words) { return std::ranges::find(words, word) != words.end(); }
bool has_one_of(std::string_view name, Words parts) {
  return std::ranges::any_of(parts, [&](auto part) { return name.find(part) != name.npos; });
}

// A name taken apart: its letters and digits, and where each word of it ends: "apiKey_2" is "apikey2": 3, 6, 7.
struct Name {
  static constexpr std::size_t kMost = 96;  // of a longer one the end
  explicit Name(std::string_view name) {
    if (name.size() > kMost) name.remove_prefix(name.size() - kMost);
    char before = '_';
    for (std::size_t i = 0; i < name.size(); i++) {
      char c = fold(name[i]);
      bool lower_next = i + 1 < name.size() && name[i + 1] >= 'a' && name[i + 1] <= 'z';
      if (counts(c)) {
        bool starts = !counts(fold(before)) || (upper(name[i]) && (!upper(before) || lower_next));
        if (starts && size > 0) ends[words++] = size;
        letters[size++] = c;
      }
      before = name[i];
    }
    if (size > 0) ends[words++] = size;
  }
  std::string_view all() const { return {letters.data(), size}; }
  std::string_view word(std::size_t n) const {
    std::size_t begin = n ? ends[n - 1] : 0;
    return all().substr(begin, ends[n] - begin);
  }
  // Without digits at its end: "password2".
  std::string_view last() const {
    for (auto n = words; n > 0; n--) {
      auto w = word(n - 1);
      if (w.size() > 1 && w != "2fa")
        while (!w.empty() && w.back() >= '0' && w.back() <= '9') w.remove_suffix(1);
      if (!w.empty()) return w;
    }
    return {};
  }

  std::array<char, kMost> letters;
  std::array<std::size_t, kMost> ends;
  std::size_t size = 0, words = 0;
};

constexpr std::size_t pair_of(char a, char b) { return static_cast<std::size_t>((a & 31) << 5 | (b & 31)); }
struct Pairs {
  std::array<bool, 1024> begins{};
  constexpr void add(std::string_view word) { begins[pair_of(fold(word[0]), fold(word[1]))] = true; }
};
constexpr auto kBuiltIn = [] {
  Pairs pairs;
  for (auto words : {Words(kAnywhere), Words(kLast), Words(kEnd)})
    for (auto word : words) pairs.add(word);
  return pairs;
}();

// Does `name` go on with `part`, what is no letter and no digit left out?
bool goes_on(std::string_view name, std::string_view part) {
  std::size_t matched = 0;
  for (char c : name) {
    if (c == '-' || c == '_' || c == '.' || c == ' ') continue;
    if (fold(c) != part[matched]) return false;
    if (++matched == part.size()) return true;
  }
  return false;
}

}  // namespace

bool are_secret_names_added() { return !users_names().empty(); }
bool can_be_secret_name(std::string_view name) { return !Name(name).all().empty(); }

void add_secret_names(const std::vector<std::string>& names) {
  for (auto& name : names) users_names().emplace_back(Name(name).all());
}

bool secret_name(std::string_view text) {
  bool any = !users_names().empty();
  for (std::size_t i = 0; !any && i + 1 < text.size(); i++) any = kBuiltIn.begins[pair_of(text[i], text[i + 1])];
  if (!any) return false;
  Name name(text);
  auto all = name.all(), last = name.last();
  if (std::ranges::find(users_names(), all) != users_names().end()) return true;
  if (is_one_of(last, kLast)) return true;
  for (auto end : kEnd)
    if (all.ends_with(end)) return true;
  if (!has_one_of(all, kAnywhere) || has_one_of(all, kKept)) return false;
  if (name.words > 1 && is_one_of(last, kAbout)) return false;
  if (all.find("token") != all.npos)
    for (std::size_t n = 0; n < name.words; n++)
      if (is_one_of(name.word(n), kCounted)) return false;
  return true;
}

bool naming_name(std::string_view name) { return is_one_of(Name(name).last(), kNaming); }
bool value_name(std::string_view name) {
  Name n(name);
  return is_one_of(n.last(), kValue) || is_one_of(n.all(), kValue);
}

bool may_begin_secret_name(std::string_view text) {
  if (text.size() > 1 && kBuiltIn.begins[pair_of(text[0], text[1])]) {
    for (auto words : {Words(kAnywhere), Words(kLast), Words(kEnd)})
      for (auto word : words)
        if (goes_on(text, word)) return true;
  }
  return std::ranges::any_of(users_names(), [&](auto& name) { return goes_on(text, name); });
}

}  // namespace retrial::trace

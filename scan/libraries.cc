#include "scan/libraries.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"
#include "scan/limits.h"
#include "scan/words.h"

namespace retrial::scan {
namespace {

template <std::size_t N>
bool is_any(std::string_view word, const std::array<std::string_view, N>& all) {
  return std::ranges::find(all, word) != all.end();
}

// Without case and underscores: max_retries, maxRetries and MaxRetries are one name.
std::string plain(std::string_view name) {
  std::string out;
  for (auto c : name)
    if (std::isalnum(static_cast<unsigned char>(c)))
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

constexpr std::array<std::string_view, 19> kCounts{"maxretries",
                                                   "retries",
                                                   "maxattempts",
                                                   "maxtries",
                                                   "tries",
                                                   "attempts",
                                                   "stopmaxattemptnumber",
                                                   "retrymax",
                                                   "total",
                                                   "limit",
                                                   "times",
                                                   "numretries",
                                                   "maxretry",
                                                   "retrylimit",
                                                   "retrycount",
                                                   "stopafterattempt",
                                                   "retryattempts",
                                                   "nretries",
                                                   "maxretrycount"};
constexpr std::array<std::string_view, 10> kTimes{"maxtime",      "maxelapsedtime", "stopmaxdelay", "stopafterdelay",
                                                  "maxretrytime", "deadline",       "maxduration",  "totaltimeout",
                                                  "retrytimeout", "stopbeforedelay"};

// What stands behind a name: `max_tries=8` and `maxAttempts: 8` give 8, `stop_after_attempt(8)` too.
std::string_view value_behind(std::string_view text, std::string_view name) {
  auto rest = text.substr(static_cast<std::size_t>(name.data() - text.data()) + name.size());
  while (!rest.empty() && (rest.front() == '"' || rest.front() == '\'' || rest.front() == ' ' || rest.front() == '=' ||
                           rest.front() == ':' || rest.front() == '(' || rest.front() == '\n'))
    rest.remove_prefix(1);
  std::size_t end = 0;
  int depth = 0;
  while (end < rest.size()) {
    char c = rest[end];
    if (depth == 0 && (c == ',' || c == ')' || c == '}' || c == '\n' || c == ';')) break;
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    end++;
  }
  return trim(rest.substr(0, end));
}

Bound bound_in(std::string_view text) {
  Bound found;
  for (auto id : identifiers(text)) {
    auto name = plain(id);
    if (is_any(name, kCounts) && found.kind != Bound::count)
      if (auto value = value_behind(text, id); !value.empty()) found = {Bound::count, one_line(value, 30)};
    if (is_any(name, kTimes) && found.kind == Bound::none) found = {Bound::time, one_line(value_behind(text, id), 30)};
  }
  return found;
}

Wait wait_told_by(std::string_view text) {
  Wait wait;
  auto has = [&](std::initializer_list<std::string_view> any) {
    return std::ranges::any_of(any, [&](auto one) { return icontains(text, one); });
  };
  if (is_power(text) || has({"exponential", "expo", "backoff_factor", "multiplier", "factor", "wait_incrementing",
                             "fibo", "backoff=2", "chain"}))
    wait.kind = Wait::growing;
  else if (has({"delay", "interval", "wait_fixed", "fixed", "constant", "wait=", "backoff:", "timeout:"}))
    wait.kind = Wait::fixed;
  if (text.find('[') != text.npos && wait.kind == Wait::none) {  // the waits themselves
    bool grows = text.find("**") != text.npos || text.find("<<") != text.npos;
    bool equal = text.find("]*") != text.npos || text.find("] *") != text.npos || text.find(" for _ in ") != text.npos;
    wait.kind = grows ? Wait::growing : equal ? Wait::fixed : Wait::none;
    auto list = text.substr(text.find('['));
    if (wait.kind != Wait::none) wait.text = one_line(list.substr(0, list.rfind(')')));
  }
  wait.jitter = has({"jitter", "random"});
  wait.told = has({"retry_after", "retryAfter", "retry-after"});
  return wait;
}

struct Own {
  std::string_view name;  // part of what is called
  Bound::Kind bound;      // where nothing is said
  Wait::Kind wait;
  bool jitter;
};
// Of tenacity's, backoff's and others' documentation.
constexpr Own kOwn[] = {
    {"on_exception", Bound::none, Wait::growing, true}, {"on_predicate", Bound::none, Wait::growing, true},
    {"expo", Bound::none, Wait::growing, false},        {"pRetry", Bound::count, Wait::growing, false},
    {"p_retry", Bound::count, Wait::growing, false},    {"asyncRetry", Bound::count, Wait::growing, true},
    {"axiosRetry", Bound::count, Wait::none, false},    {"Retryable", Bound::count, Wait::fixed, false},
    {"retry.Do", Bound::count, Wait::growing, true},    {"retryablehttp", Bound::count, Wait::growing, false},
    {"HTTPAdapter", Bound::count, Wait::none, false},   {"Retry", Bound::count, Wait::none, false},
    {"Retrying", Bound::none, Wait::none, false},       {"tenacity.retry", Bound::none, Wait::none, false},
};

// `own` as whole words of what is called: "Retry" of "util.Retry", not of "withRetry".
bool is_named(std::string_view callee, std::string_view own) {
  auto at = callee.find(own);
  if (at == callee.npos) return false;
  auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  return (at == 0 || !letter(callee[at - 1])) && (at + own.size() == callee.size() || !letter(callee[at + own.size()]));
}

}  // namespace

bool is_retry_decorator(std::string_view name) {
  auto last = last_name(name);
  if (last == "setter" || last == "getter" || last == "deleter" || last == "parametrize") return false;
  if (name.find("on_exception") != name.npos || name.find("on_predicate") != name.npos) return true;
  return says_retry(last) && !icontains(last, "test") && !icontains(last, "attempts_");
}

bool runs_again(std::string_view callee, bool function_given) {
  static constexpr std::array<std::string_view, 22> never{
      "should", "is",  "can",   "max",    "get",    "set", "has",   "log",  "on",     "next",     "reset",
      "count",  "new", "parse", "handle", "update", "add", "clear", "stop", "cancel", "schedule", "record"};
  static constexpr std::array<std::string_view, 10> kinds{"handler", "condition", "policy",  "strategy", "listener",
                                                          "error",   "wrap",      "builder", "if",       "options"};
  auto name = last_name(callee);
  auto by = receiver(callee);
  if ((name == "execute" || name == "call" || name == "run" || name == "get" || name == "executeSupplier" ||
       name == "getAsync") &&
      (text_says_retry(by) || by.find("Failsafe") != by.npos))
    return function_given;
  if (callee == "retry.Do" || callee == "backoff.Retry" || callee == "backoff.RetryNotify" ||
      callee == "retry.OnError" || callee == "retry.RetryOnConflict" || callee == "wait.ExponentialBackoff" ||
      callee == "wait.ExponentialBackoffWithContext" || callee == "backoff.RetryWithData")
    return true;
  if (!says_retry(name)) return false;
  auto word = lower(name);
  bool only_attempt =
      word.find("retr") == word.npos && word.find("backoff") == word.npos && word.find("tries") == word.npos;
  if (only_attempt && last_name(by) != "operation") return false;
  auto parts = parts_of(name);
  if (parts.size() == 2 && parts.front() == "send") return false;  // a signal that there is one
  if (std::ranges::any_of(parts, [](auto& part) { return is_any(part, never) || is_any(part, kinds); })) return false;
  if (name == "retryWhen" || name == "retryBackoff") return by.ends_with(")");
  return function_given;
}

bool makes_retrying(std::string_view callee) {
  static constexpr std::array<std::string_view, 12> all{
      "Retry",      "Retrying",    "AsyncRetrying", "RetryPolicy",        "RetryTemplate",    "RetryAgent",
      "axiosRetry", "axios_retry", "HTTPRetries",   "AsyncHTTPTransport", "ExponentialRetry", "RetryClient"};
  auto name = last_name(callee);
  if (callee == "retryablehttp.NewClient") return true;
  if (name == "of" || name == "ofDefaults" || name == "custom" || name == "builder")
    return is_any(last_name(receiver(callee)), std::array<std::string_view, 3>{"Retry", "RetryConfig", "RetryPolicy"});
  return is_any(name, all);
}

bool is_retry_option(std::string_view name) {
  static constexpr std::array<std::string_view, 11> all{
      "maxretries", "retries",       "retry",        "maxattempts",         "retrymax", "retrylimit", "maxretry",
      "numretries", "retryattempts", "retryoptions", "maxretriesperrequest"};
  auto word = plain(name);
  for (std::string_view setter : {"set", "with"})
    if (word.starts_with(setter)) word = word.substr(setter.size());
  return is_any(word, all);
}

void read_arguments(const Tree& tree, std::string_view callee, std::string_view arguments, Location& place) {
  place.bound = bound_in(arguments);
  place.wait = wait_told_by(arguments);
  // tenacity's decorator, under its own name or as it is imported.
  std::string name(callee);
  if (callee == "retry" && tree.source().find("from tenacity import") != std::string_view::npos)
    name = "tenacity.retry";
  const Own* own = nullptr;
  for (auto& one : kOwn)
    if (!own && is_named(name, one.name)) own = &one;
  if (place.bound.kind == Bound::none && own && own->bound != Bound::none)
    place.bound = {own->bound, "the library's own"};
  if (place.bound.kind == Bound::none && !own) place.bound = {Bound::elsewhere, one_line(callee)};
  if (place.wait.kind == Wait::none && own) {
    place.wait.kind = own->wait;
    place.wait.jitter |= own->jitter;
  } else if (place.wait.kind == Wait::none) {
    place.wait.kind = Wait::elsewhere;
    place.wait.text = one_line(callee);
  }
}

}  // namespace retrial::scan

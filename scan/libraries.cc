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

constexpr std::array<std::string_view, 26> kCounts{"maxretries",
                                                   "count",
                                                   "numofattempts",
                                                   "withmaxtimes",
                                                   "buildwithmaxretries",
                                                   "withmaxretries",
                                                   "maxretryattempts",
                                                   "max",
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
  auto sign = rest.find_first_not_of("\"' \n");
  if (sign == rest.npos || (rest[sign] != '=' && rest[sign] != ':' && rest[sign] != '(')) return {};
  if (rest.substr(sign).starts_with("==") || rest.substr(sign).starts_with("=>")) return {};
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
      if (auto value = value_behind(text, id); !value.empty() && value.find("typeof") == value.npos)
        found = {Bound::count, one_line(value, 30)};
    if (is_any(name, kTimes) && found.kind == Bound::none) found = {Bound::time, one_line(value_behind(text, id), 30)};
  }
  return found;
}

bool asks_for_none(std::string_view text) {  // of jitter
  for (std::string_view word : {"jitter: 'none'", "interval_randomness: 0,", "UseJitter = false", "randomize: false"})
    if (text.find(word) != text.npos) return true;
  return false;
}

Wait wait_told_by(std::string_view text) {
  Wait wait;
  auto has = [&](std::initializer_list<std::string_view> any) {
    return std::ranges::any_of(any, [&](auto one) { return icontains(text, one); });
  };
  bool grows = has({"exponential", "expo", "backoff_factor", "multiplier", "factor", "wait_incrementing", "fibo",
                    "backoff=2", "chain", "polynomial", "retry_backoff=True", "Linear", "pow("}) &&
               text.find("factor: 1,") == text.npos;
  if (is_power(text) || grows)
    wait.kind = Wait::growing;
  else if (has({"delay", "interval", "wait_fixed", "fixed", "constant",
                "wait=", "backoff:", "timeout:", "wait:", "countdown", "TimeSpan.From", "waitDuration"}))
    wait.kind = Wait::fixed;
  if (text.find('[') != text.npos && wait.kind == Wait::none) {  // the waits themselves
    bool doubles = text.find("**") != text.npos || text.find("<<") != text.npos;
    bool equal = text.find("]*") != text.npos || text.find("] *") != text.npos || text.find(" for _ in ") != text.npos;
    wait.kind = doubles ? Wait::growing : equal ? Wait::fixed : Wait::none;
    auto list = text.substr(text.find('['));
    if (wait.kind != Wait::none) wait.text = one_line(list.substr(0, list.rfind(')')));
  }
  wait.jitter =
      !asks_for_none(text) && has({"jitter", "random", "backoff.expo", "exponentialDelay", "retry_backoff=True"});
  wait.told = has({"retry_after", "retryAfter", "retry-after"});
  return wait;
}

// Words by which no end is asked for.
bool is_endless(std::string_view callee, std::string_view arguments) {
  for (std::string_view word : {"stop_never", "Infinity", "forever: true", ":unlimited", "max_retries=None",
                                "NewConstantBackOff", "StopStrategies.neverStop", "int.MaxValue", "usize::MAX"})
    if (arguments.find(word) != arguments.npos) return true;
  return callee.find("Forever") != callee.npos;
}

// What counts by a number alone, and the how manieth of its arguments that is: `WithMaxRetries(b, 5)`.
struct Counting {
  std::string_view name;
  std::size_t argument;
};
constexpr Counting kCounting[] = {
    {"Retry.backoff", 0},      {"Retry.fixedDelay", 0}, {"Retry.max", 0},          {"take", 0},
    {"WithMaxRetries", 1},     {"WithMaxTries", 0},     {"AddWithMaxAttempts", 1}, {"DecorrelatedJitterBackoffV2", 1},
    {"ExponentialBackoff", 1}, {"LinearBackoff", 1},    {"ConstantBackoff", 1}};

bool is_number(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789_") == text.npos; }

std::vector<std::string_view> listed(std::string_view text) {  // up to the parenthesis that ends them
  std::vector<std::string_view> all;
  std::size_t from = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); i++) {
    char c = text[i];
    bool ends = depth == 0 && (c == ')' || c == ',');
    if (ends) {
      all.push_back(trim(text.substr(from, i - from)));
      from = i + 1;
      if (c == ')') break;
    }
    depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
  }
  return all;
}

// By the number alone: the first argument that is one (`retry(3)`), or that of a strategy among them.
Bound counted_in(std::string_view arguments) {
  for (auto& one : kCounting) {
    auto at = arguments.find(std::string(one.name) + "(");
    if (at == arguments.npos) continue;
    auto given = listed(arguments.substr(at + one.name.size() + 1));
    if (one.argument < given.size() && is_number(given[one.argument]))
      return {Bound::count, std::string(given[one.argument])};
  }
  if (arguments.starts_with('('))
    for (auto one : listed(arguments.substr(1)))
      if (is_number(one)) return {Bound::count, std::string(one)};
  return {};
}

// Names of options stand without quotes: `{"max_attempts": 10}` too.
std::string unquoted(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); i++) {
    auto end = text[i] == '"' || text[i] == '\'' ? text.find(text[i], i + 1) : text.npos;
    auto behind = end == text.npos ? end : text.find_first_not_of(" \n", end + 1);
    auto inner = end == text.npos ? std::string_view() : text.substr(i + 1, end - i - 1);
    bool key =
        behind != text.npos && text[behind] == ':' && identifiers(inner).size() == 1 && identifiers(inner)[0] == inner;
    if (key) {
      out += inner;
      i = end;
    } else {
      out += text[i];
    }
  }
  return out;
}

// Are only some errors asked for?
bool picks_errors(std::string_view text) {
  for (std::string_view word :
       {"retry=", "retry_if", "include", "retryFor", "retryOn", "retryIf", "RetryIf", "value =", "on:", "xceptions",
        "when", "shouldRetry", "retryCondition", "filter", "predicate", "retry_on", "Handle"})
    if (text.find(word) != text.npos) return true;
  return false;
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
      callee == "retry.OnError" || name == "RetryOnConflict" || callee == "wait.ExponentialBackoff" ||
      callee == "wait.ExponentialBackoffWithContext" || callee == "backoff.RetryWithData" ||
      callee == "Retriable.retriable" || callee == "retriable")
    return true;
  if (name == "spawn") return says_retry(last_name(by));                      // tokio-retry
  if (name == "retry" && by.ends_with(")") && by != "future()") return true;  // of what a chain gives
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
  static constexpr std::array<std::string_view, 28> all{"AsyncRetry",
                                                        "StreamingRetry",
                                                        "AsyncStreamingRetry",
                                                        "RetryAsync",
                                                        "RetryForever",
                                                        "RetryForeverAsync",
                                                        "WaitAndRetry",
                                                        "WaitAndRetryAsync",
                                                        "WaitAndRetryForever",
                                                        "WaitAndRetryForeverAsync",
                                                        "AddRetry",
                                                        "AddStandardResilienceHandler",
                                                        "EnableRetryOnFailure",
                                                        "retry_on",
                                                        "RetryOptions",
                                                        "WithRetryer",
                                                        "Retry",
                                                        "Retrying",
                                                        "AsyncRetrying",
                                                        "RetryPolicy",
                                                        "RetryTemplate",
                                                        "RetryAgent",
                                                        "axiosRetry",
                                                        "axios_retry",
                                                        "HTTPRetries",
                                                        "AsyncHTTPTransport",
                                                        "ExponentialRetry",
                                                        "RetryClient"};
  auto name = last_name(callee);
  if (callee == "retryablehttp.NewClient") return true;
  if (name == "new_with_policy" || name == "new_with_policy_and_strategy")
    return last_name(receiver(callee)) == "RetryTransientMiddleware";
  if (name == "of" || name == "ofDefaults" || name == "custom" || name == "builder")
    return is_any(last_name(receiver(callee)), std::array<std::string_view, 3>{"Retry", "RetryConfig", "RetryPolicy"});
  return is_any(name, all);
}

bool is_retry_option(std::string_view name) {
  static constexpr std::array<std::string_view, 12> all{
      "maxretryattempts", "maxretries", "retries",    "retry",         "maxattempts",  "retrymax",
      "retrylimit",       "maxretry",   "numretries", "retryattempts", "retryoptions", "maxretriesperrequest"};
  auto word = plain(name);
  for (std::string_view setter : {"set", "with"})
    if (word.starts_with(setter)) word = word.substr(setter.size());
  return is_any(word, all);
}

void read_arguments(const Tree& tree, std::string_view callee, std::string_view arguments, Location& place) {
  auto given = unquoted(arguments);
  bool here = !tree.functions(last_name(callee)).empty();  // a function of this file: no library's
  auto known = here ? std::nullopt : default_of(tree.source(), callee, given);
  place.bound = bound_in(given);
  if (place.bound.kind == Bound::none) place.bound = counted_in(given);
  bool endless = is_endless(callee, given);
  if (place.bound.kind == Bound::none && !endless)
    place.bound = known ? known->bound : Bound{Bound::elsewhere, one_line(callee)};
  else if (endless && (place.bound.kind != Bound::count || !is_number(place.bound.text)))
    place.bound = {};
  place.wait = wait_told_by(given);
  auto own = known ? known->wait : Wait{Wait::elsewhere, false, false, one_line(callee)};
  // `base_interval: 0.5` says how long the first is, and nothing of the others.
  bool first = place.wait.kind == Wait::fixed && own.kind == Wait::growing && !icontains(given, "fixed") &&
               !icontains(given, "constant");
  bool jitter = place.wait.jitter || (place.wait.kind == own.kind && own.jitter && !asks_for_none(given));
  if (place.wait.kind == Wait::none || first) {
    auto told = place.wait.told;
    place.wait = own;
    place.wait.told = told;
  }
  place.wait.jitter |= jitter;
}

bool tries_whatever_fails(const Tree& tree, std::string_view callee, std::string_view arguments) {
  auto known = default_of(tree.source(), callee, arguments);
  return known && known->whatever && tree.functions(last_name(callee)).empty() && !picks_errors(arguments);
}

}  // namespace retrial::scan

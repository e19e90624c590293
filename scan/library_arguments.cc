// What the arguments of a library's call say of bound and wait.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "scan/libraries.h"
#include "scan/limits.h"
#include "scan/words.h"

namespace retrial::scan {
namespace {

constexpr std::array<std::string_view, 27> kCounts{"maxretries",
                                                   "withmaxattempts",
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
constexpr std::array<std::string_view, 11> kTimes{
    "maxtime",  "maxelapsedtime", "withmaxelapsedtime", "stopmaxdelay", "stopafterdelay", "maxretrytime",
    "deadline", "maxduration",    "totaltimeout",       "retrytimeout", "stopbeforedelay"};

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

// `WithMaxRetries(b, 4)` counts in its second.
std::string_view count_behind(std::string_view text, std::string_view name) {
  auto value = value_behind(text, name);
  if (value.empty() || value.front() < 'A') return value;
  auto rest = trim(text.substr(static_cast<std::size_t>(value.data() - text.data()) + value.size()));
  auto next = rest.starts_with(',') ? trim(rest.substr(1)) : std::string_view();
  auto digits = next.substr(0, next.find_first_not_of("0123456789"));
  bool last = !digits.empty() && next.size() > digits.size() && next[digits.size()] == ')';
  return last ? digits : value;
}

// Among what a call that waits is given: `wait_exponential(max=20)` is a time.
bool is_of_a_wait(std::string_view text, std::string_view id) {
  int depth = 0;
  for (auto at = static_cast<std::size_t>(id.data() - text.data()); at-- > 0;) {
    depth += text[at] == ')' ? 1 : text[at] == '(' ? -1 : 0;
    if (depth >= 0) continue;
    auto callee = last_name(text.substr(0, at));
    auto parts = parts_of(callee);
    return !parts.empty() && parts.front() == "wait" && !says_retry(callee);
  }
  return false;
}

Bound bound_in(std::string_view text) {
  Bound found;
  for (auto id : identifiers(text)) {
    auto name = plain_name(id);
    if (std::ranges::count(kCounts, name) > 0 && found.kind != Bound::count && !is_of_a_wait(text, id))
      if (auto value = count_behind(text, id); !value.empty() && value.find("typeof") == value.npos)
        found = {Bound::count, one_line(value, 30)};
    if (std::ranges::count(kTimes, name) > 0 && found.kind == Bound::none)
      found = {Bound::time, one_line(value_behind(text, id), 30)};
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
                    "backoff=2", "chain", "polynomial", "withBackoff(", "retry_backoff=True", "Linear", "pow("}) &&
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

// Words by which no end is asked for; a number below zero (Failsafe), or no time (cenkalti/backoff).
bool is_endless(std::string_view callee, std::string_view arguments, const Bound& bound) {
  for (std::string_view word :
       {"stop_never", "Infinity", "forever: true", ":unlimited", "max_retries=None", "NewConstantBackOff",
        "StopStrategies.neverStop", "int.MaxValue", "usize::MAX", "retry.Attempts(0)", "retry.UntilSucceeded("})
    if (arguments.find(word) != arguments.npos) return true;
  if (bound.text.starts_with('-') || (bound.kind == Bound::time && bound.text == "0")) return true;
  return callee.find("Forever") != callee.npos;
}

// `0`, `Duration.ZERO`, `TimeSpan.FromSeconds(0)`, `0 * time.Second`
bool is_no_time(std::string_view value) {
  static constexpr std::array<std::string_view, 16> units{
      "duration", "ofmillis", "ofseconds", "timespan",    "fromseconds",  "frommilliseconds",
      "time",     "second",   "seconds",   "millisecond", "milliseconds", "ms",
      "l",        "s",        "zero",      "timedelta"};
  auto names = identifiers(value);
  bool zero = std::ranges::any_of(names, [](auto n) { return plain_name(n) == "zero"; }) || value.contains('0');
  return zero && value.find_first_of("123456789") == value.npos &&
         std::ranges::all_of(names, [](auto n) { return std::ranges::count(units, plain_name(n)) > 0; });
}

// Is the wait, or the longest that it may grow to, no time at all? What the first is says nothing of the others.
bool waits_for_no_time(std::string_view text) {
  static constexpr std::array<std::string_view, 12> longest{"maxtimeout",   "maxdelay",  "maxwait",    "maxinterval",
                                                            "waitduration", "withdelay", "fixeddelay", "delay",
                                                            "retrydelay",   "pause",     "interval",   "withwait"};
  return std::ranges::any_of(identifiers(text), [&](auto id) {
    return std::ranges::count(longest, plain_name(id)) > 0 && is_no_time(value_behind(text, id));
  });
}

// What counts by a number alone, and the how manieth of its arguments that is: `WithMaxRetries(b, 5)`.
struct Counting {
  std::string_view name;
  std::size_t argument;
};
constexpr Counting kCounting[] = {
    {"Retry.backoff", 0},      {"Retry.fixedDelay", 0}, {"Retry.max", 0},          {"take", 0},
    {"WithMaxRetries", 1},     {"WithMaxTries", 0},     {"AddWithMaxAttempts", 1}, {"DecorrelatedJitterBackoffV2", 1},
    {"ExponentialBackoff", 1}, {"LinearBackoff", 1},    {"ConstantBackoff", 1},    {"RetryFutureConfig::new", 0}};

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

void read_arguments(const Tree& tree, std::string_view callee, std::string_view arguments, Location& place) {
  auto given = unquoted(arguments);
  bool here = !tree.functions(last_name(callee)).empty();  // a function of this file: no library's
  auto known = here ? std::nullopt : default_of(tree, callee, given);
  place.bound = bound_in(given);
  if (place.bound.kind == Bound::none) place.bound = counted_in(given);
  bool endless = is_endless(callee, given, place.bound);
  if (place.bound.kind == Bound::none && !endless)
    place.bound = known ? known->bound : Bound{Bound::elsewhere, one_line(callee)};
  else if (endless && (place.bound.kind != Bound::count || !is_number(place.bound.text) || place.bound.text == "0"))
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
  if (waits_for_no_time(given)) place.wait = {.told = place.wait.told};
}

bool tries_whatever_fails(const Tree& tree, std::string_view callee, std::string_view arguments) {
  auto known = default_of(tree, callee, arguments);
  return known && known->whatever && tree.functions(last_name(callee)).empty() && !picks_errors(arguments);
}

}  // namespace retrial::scan

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

}  // namespace

std::string plain_name(std::string_view name) {
  std::string out;
  for (auto c : name)
    if (std::isalnum(static_cast<unsigned char>(c)))
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

bool is_retry_decorator(std::string_view name) {
  auto last = last_name(name);
  if (last == "setter" || last == "getter" || last == "deleter" || last == "parametrize") return false;
  if (name.find("on_exception") != name.npos || name.find("on_predicate") != name.npos) return true;
  return says_retry(last) && !icontains(last, "test") && !icontains(last, "attempts_");
}

bool runs_again(std::string_view callee, bool function_given) {
  static constexpr std::array<std::string_view, 23> never{
      "allow", "should", "is",  "can",   "max",    "get",    "set", "has",   "log",  "on",     "next",     "reset",
      "count",  "new", "parse", "handle", "update", "add", "clear", "stop", "cancel", "schedule", "record"};
  static constexpr std::array<std::string_view, 12> kinds{"exception", "after", "handler", "condition", "policy",  "strategy", "listener",
                                                          "error",   "wrap",      "builder", "if",       "options"};
  auto name = last_name(callee);
  auto by = receiver(callee);
  if ((name == "execute" || name == "call" || name == "run" || name == "get" || name == "executeSupplier" ||
       name == "getAsync" || name == "runAsync" || name == "getStageAsync") &&
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
  auto word = plain_name(name);
  for (std::string_view setter : {"set", "with"})
    if (word.starts_with(setter)) word = word.substr(setter.size());
  return is_any(word, all);
}

}  // namespace retrial::scan

// What libraries do where nothing is said, of their documentation or their source.
#include <algorithm>
#include <span>

#include "base/text.h"
#include "scan/language.h"
#include "scan/libraries.h"
#include "scan/words.h"

namespace retrial::scan {
namespace {

using enum Bound::Kind;
const Wait kNone{}, kFixed{.kind = Wait::fixed}, kGrowing{.kind = Wait::growing},
    kJitter{.kind = Wait::growing, .jitter = true}, kElsewhere{.kind = Wait::elsewhere};

struct Row {
  std::string_view name;  // whole words of what is called, or of what that is given
  std::string_view file;  // what else the file says, where the name alone means many things
  Bound::Kind bound;
  std::string_view said;  // so many, so long
  const Wait& wait;
  bool whatever = false;  // whatever fails is tried again
  bool strategy = false;  // stands among what it is given, too
};

constexpr Row kPython[] = {
    {"on_exception", "", none, "", kJitter},
    {"on_predicate", "", none, "", kJitter},
    {"tenacity.retry", "", none, "", kNone, true},
    {"retry", "from tenacity import", none, "", kNone, true},
    {"Retrying", "", none, "", kNone, true},
    {"AsyncRetrying", "", none, "", kNone, true},
    {"Retry", "google.api_core", time, "120 s", kJitter},
    {"AsyncRetry", "google.api_core", time, "120 s", kJitter},
    {"StreamingRetry", "google.api_core", time, "120 s", kJitter},
    {"AsyncStreamingRetry", "google.api_core", time, "120 s", kJitter},
    {"autoretry_for", "", count, "3", kFixed},
    {"self.retry", "elery", count, "3", kFixed},
    {"HTTPAdapter", "", count, "0", kNone},
    {"Retry", "urllib3", count, "10", kNone},
    {"Retry", "from requests", count, "10", kNone},
};
constexpr Row kJavaScript[] = {
    {"pRetry", "", count, "10", kGrowing, true},
    {"p_retry", "", count, "10", kGrowing, true},
    {"asyncRetry", "", count, "10", kJitter, true},
    {"retry", "async-retry", count, "10", kJitter, true},
    {"backOff", "exponential-backoff", count, "10", kGrowing, true},
    {"axiosRetry", "", count, "3", kNone},
    {"retry", "rxjs", none, "", kNone, true},
    {"attempts", "", count, "", kNone},
};
constexpr Row kJava[] = {
    {"Retryable", "", count, "3", kFixed, true},
    {"Retry", "resilience4j", elsewhere, "resilience4j", kElsewhere},
    {"Retry.backoff", "", count, "", kJitter, false, true},
    {"retry", "reactor", none, "", kNone, true},
    {"bodyToMono", "", none, "", kNone, true},
    {"RetryTemplate", "", count, "3", kNone},
    {"RetryPolicy.builder", "failsafe", count, "3", kNone},
    {"RetryPolicy.ofDefaults", "failsafe", count, "3", kNone},
};
constexpr Row kGo[] = {
    {"retry.Do", "avast/retry-go", count, "10", kJitter, true},
    {"retryablehttp", "", count, "4", kGrowing},
    {"backoff.Retry", "", time, "15 min", kJitter},
    {"backoff.RetryNotify", "", time, "15 min", kJitter},
    {"backoff.RetryWithData", "", time, "15 min", kJitter},
    {"RetryOnConflict", "", count, "retry.DefaultRetry", kJitter},
};
constexpr Row kRust[] = {
    {"backoff::retry", "", time, "15 min", kJitter},
    {"backoff::future::retry", "", time, "15 min", kJitter},
    {"retry_fn", "tryhard", elsewhere, "tryhard", kElsewhere, true},
    {"Retry::spawn", "", none, "", kNone, true},
    {"RetryIf::spawn", "", none, "", kNone},
    {"ExponentialBuilder", "", count, "3", kGrowing, true, true},
    {"FibonacciBuilder", "", count, "3", kGrowing, true, true},
    {"ConstantBuilder", "", count, "3", kFixed, true, true},
    {"build_with_max_retries", "", count, "", kJitter, false, true},
};
constexpr Row kRuby[] = {
    {"retriable", "", count, "3", kJitter, true},
    {"retry_on", "", count, "5", kFixed},
    {"sidekiq_options", "", count, "25", kJitter},
    {":retry", "araday", count, "2", kNone},
};
constexpr Row kCSharp[] = {
    {"RetryAsync", "", count, "1", kNone},
    {"Retry", "Polly", count, "1", kNone},
    {"RetryForever", "", none, "", kNone},
    {"RetryForeverAsync", "", none, "", kNone},
    {"WaitAndRetryForeverAsync", "", none, "", kElsewhere},
    {"AddRetry", "", count, "3", kFixed},
    {"AddStandardResilienceHandler", "", count, "3", kJitter},
    {"EnableRetryOnFailure", "", count, "6", kJitter},
    {"MaxRetries", "Azure", count, "3", kJitter},
    {"MaxAttempts", "Grpc", count, "", kJitter},
};

// A library is one language's: its name means nothing in another.
struct Library {
  std::string_view family;
  std::span<const Row> rows;
};
constexpr Library kLibraries[] = {
    {"python", kPython}, {"javascript", kJavaScript}, {"java", kJava}, {"go", kGo}, {"rust", kRust}, {"ruby", kRuby},
    {"c#", kCSharp}};

// As whole words: "Retry" of "util.Retry", not of "withRetry".
bool is_named(std::string_view text, std::string_view name) {
  auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (auto at = text.find(name); at != text.npos; at = text.find(name, at + 1))
    if ((at == 0 || !letter(text[at - 1])) && (at + name.size() == text.size() || !letter(text[at + name.size()])))
      return true;
  return false;
}

}  // namespace

std::optional<Default> default_of(const Tree& tree, std::string_view callee, std::string_view arguments) {
  auto* library = std::ranges::find(kLibraries, tree.language().family, &Library::family);
  if (library == std::end(kLibraries)) return {};
  for (bool given : {true, false})
    for (auto& row : library->rows)
      if ((!given || row.strategy) && is_named(given ? arguments : callee, row.name) &&
          tree.source().find(row.file) != std::string_view::npos)
        return Default{{row.bound, std::string(row.said)}, row.wait, row.whatever};
  return {};
}

}  // namespace retrial::scan

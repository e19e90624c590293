// What a library is told, where a number or a time says that there is none.
#include <gtest/gtest.h>

#include <algorithm>

#include "scan/scan.h"
#include "scan/verdicts.h"

namespace retrial::scan {
namespace {

Location library_in(const char* file, std::string_view text) {
  auto found = scan_text(*language_of(file), text).locations;
  EXPECT_EQ(found.size(), 1u) << text;
  return found.empty() ? Location() : found.front();
}

// "bound's word, its text: wait's word"
std::string bounds(const char* file, std::string_view text) {
  auto at = library_in(file, text);
  return word(at.bound) + (at.bound.text.empty() ? "" : " " + at.bound.text) + ": " + word(at.wait);
}

TEST(LibraryArguments, of_a_number_by_which_a_library_means_no_end_are_none) {
  auto dial = [](std::string_view options) {
    return "package a\nimport \"github.com/avast/retry-go/v4\"\nfunc f() error {\n\treturn retry.Do(dial, " +
           std::string(options) + ")\n}\n";
  };
  EXPECT_EQ(bounds("a.go", dial("retry.Attempts(0), retry.Delay(time.Second), retry.DelayType(retry.FixedDelay)")),
            "none: fixed");
  EXPECT_EQ(bounds("a.go", dial("retry.UntilSucceeded(), retry.LastErrorOnly(true)")), "none: jitter");
  EXPECT_EQ(bounds("a.go", dial("retry.Attempts(4)")), "count 4: jitter");
  auto failsafe = [](std::string_view options) {
    return "import dev.failsafe.RetryPolicy;\nclass A {\n  static final RetryPolicy<Object> P = "
           "RetryPolicy.builder().handle(IOException.class)" +
           std::string(options) + ".build();\n}\n";
  };
  EXPECT_EQ(
      bounds("A.java", failsafe(".withBackoff(Duration.ofMillis(200), Duration.ofSeconds(30)).withMaxAttempts(-1)")),
      "none: growing");
  EXPECT_EQ(
      bounds("A.java", failsafe(".withBackoff(Duration.ofMillis(200), Duration.ofSeconds(30)).withMaxRetries(4)")),
      "count 4: growing");
  EXPECT_EQ(bounds("A.java", failsafe(".withDelay(Duration.ofMillis(200))")), "count 3: fixed");
}

TEST(LibraryArguments, that_are_left_out_are_those_of_the_languages_own_library) {
  EXPECT_EQ(bounds("a.js", "const f = () => asyncRetry(() => get('/a'));\n"), "count 10: jitter");
  EXPECT_EQ(
      bounds("A.java", "class A {\n  void f() {\n    asyncRetry(() -> connect(a)).delayPolicy(p).build();\n  }\n}\n"),
      "elsewhere asyncRetry: elsewhere");
  EXPECT_EQ(bounds("a.rb", "def f(u)\n  retriable { get(u) }\nend\n"), "count 3: jitter");
  EXPECT_EQ(bounds("a.py", "from mylib import retriable\ndef f(u):\n  return retriable(lambda: get(u))\n"),
            "elsewhere retriable: elsewhere");
}

TEST(LibraryArguments, are_set_in_the_fields_of_what_is_given_too) {
  auto text = [](std::string_view field) {
    return "package a\nimport \"github.com/cenkalti/backoff/v4\"\nfunc f() error {\n\tp := "
           "backoff.NewExponentialBackOff()\n\t" +
           std::string(field) + "\n\tq.MaxElapsedTime = time.Hour\n\treturn backoff.Retry(send, p)\n}\n";
  };
  EXPECT_EQ(bounds("a.go", text("p.MaxElapsedTime = 0")), "none: jitter");
  EXPECT_EQ(bounds("a.go", text("p.MaxElapsedTime = 2 * time.Minute")), "time 2 * time.Minute: jitter");
  EXPECT_EQ(bounds("a.go", text("p.MaxInterval = time.Minute")), "time 15 min: jitter");
}

TEST(LibraryArguments, of_what_waits_count_no_attempts) {
  auto text = [](std::string_view wait) {
    return "from tenacity import retry\n@retry(stop=stop_after_delay(90), wait=" + std::string(wait) +
           ")\ndef load():\n    return fetch()\n";
  };
  EXPECT_EQ(bounds("a.py", text("wait_random_exponential(multiplier=0.5, max=20)")), "time 90: jitter");
  EXPECT_EQ(bounds("a.py", text("wait_exponential(max=20)")), "time 90: growing");
  EXPECT_EQ(bounds("A.cs",
                   "class A { IAsyncPolicy P = Policy.Handle<E>().WaitAndRetryAsync(retryCount: 3, n => "
                   "TimeSpan.FromSeconds(n)); }"),
            "count 3: fixed");
}

TEST(LibraryArguments, by_which_it_waits_for_no_time_are_no_wait) {
  auto policy = [](std::string_view wait) {
    return "import io.github.resilience4j.retry.Retry;\nclass A {\n  Retry r = Retry.of(\"a\", "
           "RetryConfig.custom().maxAttempts(6).waitDuration(" +
           std::string(wait) + ").build());\n}\n";
  };
  EXPECT_EQ(bounds("A.java", policy("Duration.ZERO")), "count 6: none");
  EXPECT_EQ(bounds("A.java", policy("Duration.ofMillis(0)")), "count 6: none");
  EXPECT_EQ(bounds("A.java", policy("Duration.ofMillis(100)")), "count 6: fixed");
  auto js = [](std::string_view options) {
    return "const retry = require('async-retry');\nconst f = () => retry(async () => get(), { retries: 8, " +
           std::string(options) + " });\n";
  };
  EXPECT_EQ(bounds("a.js", js("minTimeout: 0, maxTimeout: 0")), "count 8: none");
  EXPECT_EQ(bounds("a.js", js("minTimeout: 0")), "count 8: jitter") << "it doubles from 1 ms";
}

TEST(LibraryArguments, say_not_that_whatever_fails_comes_back_where_what_they_call_says_what_is_for_good) {
  auto text = [](std::string_view raised) {
    return "import pRetry from 'p-retry';\nasync function load(url) {\n  const r = await fetch(url);\n  if (r.status "
           "=== 404) throw new " +
           std::string(raised) +
           "('gone');\n  return r.json();\n}\nexport const price = (sku) => pRetry(() => load(`/${sku}`), { retries: "
           "4 });\n";
  };
  auto told = [&](std::string_view raised) {
    auto found = scan_text(*language_of("a.ts"), text(raised)).locations;
    judge(found);
    return std::ranges::any_of(found.at(0).verdicts, [](auto& v) { return v.name == "retries-permanent-error"; });
  };
  EXPECT_FALSE(told("AbortError"));
  EXPECT_TRUE(told("Error"));
}

}  // namespace
}  // namespace retrial::scan

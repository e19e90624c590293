// Verdicts that the source itself clears.
#include <gtest/gtest.h>

#include <algorithm>

#include "scan/scan.h"
#include "scan/verdicts.h"

namespace retrial::scan {
namespace {

bool told(const char* file, std::string_view text, std::string_view verdict) {
  auto found = scan_text(*language_of(file), text).locations;
  EXPECT_FALSE(found.empty());
  judge(found);
  return std::ranges::any_of(found, [&](auto& one) {
    return std::ranges::any_of(one.verdicts, [&](auto& said) { return said.name == verdict; });
  });
}

TEST(Untold, is_an_effect_where_the_method_is_given_and_has_none) {
  auto text = [](std::string_view method) {
    return std::string(
               "class A {\n  @Retryable(maxAttempts = 5)\n  String get() throws IOException {\n    return send(") +
           std::string(method) + ", \"/catalog\");\n  }\n}\n";
  };
  EXPECT_FALSE(told("A.java", text("\"GET\""), "retries-non-idempotent"));
  EXPECT_TRUE(told("A.java", text("\"POST\""), "retries-non-idempotent"));
}

TEST(Untold, is_an_effect_of_a_request_that_was_made_elsewhere) {
  auto text = [](std::string_view made) {
    return std::string("def f(http, request):\n  ") + std::string(made) +
           "\n  for n in range(3):\n    try:\n      return http.send(request)\n    except OSError:\n      "
           "time.sleep(2 ** n)\n  raise Gone()\n";
  };
  EXPECT_FALSE(told("a.py", text("pass"), "retries-non-idempotent"));
  EXPECT_TRUE(told("a.py", text("request = Request('POST', url)"), "retries-non-idempotent"));
}

TEST(Untold, is_that_whatever_fails_leads_back_where_what_is_tried_says_what_is_for_good) {
  auto text = [](std::string_view raised) {
    return std::string(
               "import pRetry from 'p-retry';\nconst f = () => pRetry(async () => {\n  const r = await http.get(u);\n"
               "  if (r.status === 404) throw new ") +
           std::string(raised) + "('gone');\n  return r.data;\n}, { retries: 4 });\n";
  };
  EXPECT_FALSE(told("a.ts", text("AbortError"), "retries-permanent-error"));
  EXPECT_TRUE(told("a.ts", text("Error"), "retries-permanent-error"));
}

TEST(Untold, is_that_it_is_swallowed_where_the_outcome_is_given_on) {
  EXPECT_FALSE(told("a.rs", R"(
async fn with_retry(&self, f: F) -> Result<T, Error> {
    let mut attempt = 0;
    loop {
        match f().await {
            Err(e) if e.is_transient() && attempt < self.max_retries => {
                sleep(Duration::from_millis(100 << attempt)).await;
                attempt += 1;
            }
            other => return other,
        }
    }
}
)",
                    "swallowed-error"));
  EXPECT_FALSE(told("a.rs", R"(
async fn ready(&self, end: Instant) -> Result<(), Error> {
    while let Err(e) = self.get("/ready").await {
        if Instant::now() >= end {
            return Err(e);
        }
        sleep(Duration::from_secs(1)).await;
    }
    Ok(())
}
)",
                    "swallowed-error"));
}

TEST(Untold, is_that_it_is_swallowed_where_a_loop_gives_how_it_went) {
  EXPECT_FALSE(told("a.rs", R"(
async fn put(op: Op, max: u32) -> Result<(), Error> {
    let mut n = 0;
    loop {
        let res = op.send().await;
        if let Err(ref err) = res {
            if n >= max {
                break res;
            }
            n += 1;
            sleep(Duration::from_secs(1)).await;
        } else {
            break res;
        }
    }
}
)",
                    "swallowed-error"));
}

TEST(Untold, is_that_nothing_waits_where_what_is_tried_waits_first) {
  auto text = [](std::string_view pause) {
    return std::string(
               "def connect(self):\n  while True:\n    try:\n      return self.once()\n    except OSError:\n"
               "      pass\n\ndef once(self):\n  ") +
           std::string(pause) + "\n  return self.client.connect(self.host)\n";
  };
  EXPECT_FALSE(told("a.py", text("time.sleep(self.delay)"), "missing-delay"));
  EXPECT_TRUE(told("a.py", text("pass"), "missing-delay"));
}

TEST(Untold, is_that_nothing_waits_where_new_credentials_are_fetched) {
  EXPECT_FALSE(told("A.cs", R"(
class A {
  async Task<Answer> Download(string path, bool renewed = false) {
    var response = await _http.GetAsync(path);
    if (response.StatusCode == HttpStatusCode.Unauthorized && !renewed) {
      await Renew();
      return await Download(path, renewed: true);
    }
    return response;
  }
}
)",
                    "missing-delay"));
}

TEST(Libraries, of_rust_are_read_to_the_end_of_their_chain) {
  auto found = scan_text(*language_of("a.rs"), R"(
use tryhard;
async fn stream(context: Context) -> Result<Stream, Error> {
    let strategy = tryhard::RetryFutureConfig::new(5).exponential_backoff(Duration::from_millis(500));
    tryhard::retry_fn(|| context.get_stream("a"))
        .with_config(strategy)
        .await
}
async fn health(probe: Probe) -> Result<(), Error> {
    probe.retry(ExponentialBuilder::default().with_jitter().with_max_times(4)).await
}
)")
                   .locations;
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(word(found[0].bound) + " " + word(found[0].wait), "count growing");
  EXPECT_EQ(word(found[1].bound) + " " + word(found[1].wait), "count jitter");
}

}  // namespace
}  // namespace retrial::scan

#include <gtest/gtest.h>

#include <random>

#include "tests/trace/secrets/corpus.h"
#include "trace/secrets/names.h"
#include "trace/secrets/secrets.h"

namespace retrial::trace {
namespace {
using test::kNoSecrets, test::kSecretBodies, test::kSecretLines, test::kSecretTargets, test::unmarked;

void expect_no_less(std::string_view text) {
  if (may_hold_secrets(text)) return;
  for (auto where : {Where::body, Where::header, Where::target}) EXPECT_TRUE(secrets_in(text, where).empty()) << text;
}

TEST(FirstLook, sees_every_secret_of_the_corpus) {
  for (auto& secret : kSecretBodies) EXPECT_TRUE(may_hold_secrets(unmarked(secret.text))) << secret.kind;
  for (auto& secret : kSecretTargets) EXPECT_TRUE(may_hold_secrets(unmarked(secret.text))) << secret.kind;
}
TEST(FirstLook, passes_what_traffic_mostly_is) {
  for (auto text : {"ok", "/orders/8f14e45f-ceea-467f-a8f4-3e2c5d1b9a77?page=3", "Mon, 23 Nov 2026 12:00:00 GMT",
                    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "application/json; charset=utf-8",
                    R"({"id":"8f14e45f-ceea-467f-a8f4-3e2c5d1b9a77","amount":12.5,"mail":"a@b.c","n":[1,2]})",
                    R"({"url":"http://h:8080/a?b=1","text":"a\nb \"c\" \u00e9"})", "a=1&b=2&c=x"})
    EXPECT_EQ(may_hold_secrets(text), std::string_view(text).find("\\u") != std::string_view::npos) << text;
}
// What it passes is never searched: so it must see whatever the search would find, in any text.
TEST(FirstLook, misses_nothing_that_the_search_finds) {
  std::mt19937 random(1);  // NOLINT(bugprone-random-generator-seed): the same texts each time
  auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  std::vector<std::string> texts;
  for (auto& secret : kSecretBodies) texts.push_back(unmarked(secret.text));
  for (auto& secret : kSecretLines) texts.push_back(unmarked(secret.text));
  for (auto& secret : kSecretTargets) texts.push_back(unmarked(secret.text));
  texts.insert(texts.end(), std::begin(kNoSecrets), std::end(kNoSecrets));
  constexpr std::string_view kSigns = "\\%&=:;\"'<>-_./@?+ \n{}[],nuxaeP0";
  for (int n = 0; n < 30'000; n++) {
    auto text = texts[below(texts.size())];
    for (auto changes = below(4); changes > 0 && !text.empty(); changes--) {
      auto at = below(text.size());
      switch (below(3)) {
        case 0:
          text[at] = kSigns[below(kSigns.size())];
          break;
        case 1:
          text.erase(at, 1 + below(8));
          break;
        default:
          text.insert(at, 1, kSigns[below(kSigns.size())]);
      }
    }
    if (below(2)) text = text.substr(below(text.size() + 1));
    expect_no_less(text);
  }
}

// In a process of its own: names stay.
TEST(FirstLook, sees_names_that_users_call_secrets_however_short) {
  auto all_seen = [] {
    add_secret_names({"X-Tax-Id", "q"});
    for (auto text : {"x-tax-id: 1", "{\"XTaxId\":1}", "a=1&x_tax_id=2", "q=1", "Q: 1"})
      if (!may_hold_secrets(text) || secrets_in(text, Where::body).empty()) return 1;
    return may_hold_secrets("{\"id\":1,\"tax\":2}") ? 2 : 0;
  };
  EXPECT_EXIT(std::exit(all_seen()), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace retrial::trace

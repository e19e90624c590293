#include <gtest/gtest.h>

#include "tests/trace/secrets/corpus.h"
#include "trace/recording/redact.h"

namespace retrial::trace {
namespace {
using test::each_secret, test::kNoSecrets, test::kSecretBodies, test::unmarked;

std::string body(std::string_view text) {
  std::string out;
  redact_body(text, out);
  return out;
}
std::string around(std::string_view before, std::string_view text, std::string_view after) {
  return std::string(before).append(text).append(after);
}

TEST(RedactCorpus, no_secret_of_any_kind_stays_in_a_body) {
  for (auto& [kind, text] : kSecretBodies) {
    auto out = body(unmarked(text));
    each_secret(text, [&](auto secret) { EXPECT_EQ(out.find(secret), out.npos) << kind << ": " << out; });
    EXPECT_NE(out.find(kRedacted), out.npos) << kind;
  }
}
TEST(RedactCorpus, what_only_looks_like_a_secret_stays) {
  for (auto text : kNoSecrets) EXPECT_EQ(body(text), text);
}
// Wherever the sample ends within a secret: what is known by its name is not seen at all, what is known by its shape
// not from its sixteenth character on.
TEST(RedactCorpus, wherever_a_body_is_cut_off_its_secret_stays_out) {
  constexpr std::size_t kTelling = 6, kShape = 16;
  for (auto& [kind, text] : kSecretBodies) {
    auto open = text.find("«"), close = text.find("»");
    // What says that it is a secret stands behind it.
    if (kind == "JSON, value and name" || kind == "JSON, Kubernetes" || kind == "a private key from its middle")
      continue;
    auto head = text.substr(0, open), secret = text.substr(open + 2, close - open - 2);
    auto first =
        body(around(head, secret.substr(0, kTelling), "")).find(kRedacted) != std::string::npos ? kTelling : kShape;
    for (auto n = first; n <= secret.size(); n++) {
      auto out = body(around(head, secret.substr(0, n), ""));
      EXPECT_EQ(out.find(secret.substr(0, kTelling)), out.npos) << kind << ": " << out;
    }
  }
}
TEST(RedactCorpus, a_secret_is_one_in_any_surrounding) {
  constexpr std::pair<std::string_view, std::string_view> kSurroundings[] = {
      {"", "\n"}, {"\n\n", ""}, {"{\"a\":1}\n", "\n{\"b\":2}\n"}, {"a: b\n", "\nc: d\n"}, {"<a b='c'>\n", "\n</a>"}};
  for (auto& [kind, text] : kSecretBodies)
    for (auto& [before, after] : kSurroundings) {
      if (kind.ends_with("cut off")) continue;
      auto out = body(around(before, unmarked(text), after));
      each_secret(text, [&](auto secret) { EXPECT_EQ(out.find(secret), out.npos) << kind << ": " << out; });
    }
}
// As a string of JSON, and as a field of a form.
TEST(RedactCorpus, a_secret_is_one_within_a_string) {
  for (auto& [kind, text] : kSecretBodies) {
    if (kind.ends_with("cut off") || kind == "MessagePack") continue;
    std::string json = R"({"a":")", form = "a=";
    for (char c : unmarked(text)) {
      json += c == '"' || c == '\\' ? std::string("\\") + c : c == '\n' ? "\\n" : c == '\r' ? "\\r" : std::string(1, c);
      constexpr std::string_view kHex = "0123456789ABCDEF";
      bool plain = std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.';
      form += plain ? std::string(1, c)
                    : std::string("%") + kHex[static_cast<unsigned char>(c) >> 4] +
                          kHex[static_cast<unsigned char>(c) & 15];
    }
    for (auto& wrapped : {json + R"(","b":1})", form + "&b=1"}) {
      auto out = body(wrapped);
      each_secret(text, [&](auto secret) {
        if (secret.find_first_of("\"\\%\n\r/=< &,+") == secret.npos) {
          EXPECT_EQ(out.find(secret), out.npos) << kind << ": " << out;
        }
      });
    }
  }
}
TEST(RedactCorpus, equal_secrets_are_redacted_equally_and_so_are_others) {
  for (auto& [kind, text] : kSecretBodies) EXPECT_EQ(body(unmarked(text)), body(unmarked(text))) << kind;
  EXPECT_EQ(body(R"({"password":"a","b":1})"), body(R"({"password":"something longer","b":1})"));
}
}  // namespace
}  // namespace retrial::trace

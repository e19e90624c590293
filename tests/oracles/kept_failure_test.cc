#include <gtest/gtest.h>

#include "tests/oracles/runs.h"

// A failure that is kept as if it were the answer: the test asks twice, and only the first sends anything.
namespace retrial::oracles {
namespace {

struct Asked {
  std::string source =
      "def test_quote():\n    assert tolls.quote('A') in (40, None)\n    assert tolls.quote('A') == 80";
  std::string function = "quote";
  int again = 0;  // calls in the case after the one that failed
  int refused = 503;

  std::string verdicts() const { return trial().verdicts(); }
  std::string message() const { return trial().judge().findings.at(0).message; }

 private:
  Trial trial() const {
    Trial t("P3", "error(transient)");
    t.reference.call(function, "GET", "/tariffs/A").answers(200);
    t.in_case().call(function, "GET", "/tariffs/A").gets_error(refused);
    for (int i = 0; i < again; i++) t.in_case().call(function, "GET", "/tariffs/A").answers(200);
    auto failed = assertion("assert None == 80");
    failed.source = source;
    t.in_case().fails({failed});
    return t;
  }
};

TEST(KeptFailure, a_test_that_asks_again_and_is_given_the_failure_without_a_request_is_likely) {
  EXPECT_EQ(Asked().verdicts(), "silent-wrong-result likely");
  EXPECT_NE(Asked().message().find("the test's next tolls.quote() sent nothing"), std::string::npos)
      << Asked().message();
  Asked of_lines{.source =
                     "test('it', async () => {\n  const a = await c.quote('A');\n  const b = await c.quote('A');\n"
                     "\n  expect(b).toBe(80);"};
  EXPECT_EQ(of_lines.verdicts(), "silent-wrong-result likely");
  Asked of_go{.source =
                  "func TestIt(t *testing.T) {\n\tfor _, p := range pieces {\n\t\tif c, ok := s.Quote(p); ok {\n"
                  "\t}\n\t}\n\tif c, ok := s.Quote(p); !ok || c != 80 {\n\t\tt.Fatalf(\"%v\", c)",
              .function = "(*Studio).Quote"};
  EXPECT_EQ(of_go.verdicts(), "silent-wrong-result likely");
}

// Of one function that asks for a thing of its own beside it each time.
struct AskedBeside {
  std::string source = "def test_it():\n    shop.card('A')\n    assert shop.card('A') == 80";
  bool again = false;  // asks for the rate once more
  const char* second = "/rates/A";
  const char* again_in_case = nullptr;

  std::string verdicts() const { return trial().verdicts(); }
  std::string message() const { return trial().judge().findings.at(0).message; }

 private:
  Trial trial() const {
    Trial t("P3", "error(transient)");
    t.reference.call("card", "GET", "/rates/A").answers(200);
    t.reference.call("card", "GET", "/stock/A").answers(200);
    if (again) t.reference.call("card", "GET", second).answers(200);
    t.reference.call("card", "GET", "/stock/A").answers(200);
    t.in_case().call("card", "GET", "/rates/A").gets_error(503);
    t.in_case().call("card", "GET", "/stock/A").answers(200);
    if (again) t.in_case().call("card", "GET", second).answers(200);
    if (again_in_case) t.in_case().call("card", "GET", again_in_case).answers(200);
    t.in_case().call("card", "GET", "/stock/A").answers(200);
    auto failed = assertion("assert 1 == 80");
    failed.source = source;
    t.in_case().fails({failed});
    return t;
  }
};

TEST(KeptFailure, what_the_function_asks_for_beside_it_clears_nothing) {
  EXPECT_EQ(AskedBeside().verdicts(), "silent-wrong-result likely");
  EXPECT_NE(AskedBeside().message().find("the test's next shop.card() did not ask for it again"), std::string::npos)
      << AskedBeside().message();
  EXPECT_EQ((AskedBeside{.again = true, .second = "/rates/B"}.verdicts()), "silent-wrong-result likely");
}

TEST(KeptFailure, beside_others_only_the_same_arguments_tell_that_the_same_was_asked_for) {
  auto kept = [](const AskedBeside& asked) { return asked.verdicts().contains("likely"); };
  EXPECT_FALSE(kept({.source = "def test_it():\n    shop.card('B')\n    assert shop.card('A') == 80"}));
  EXPECT_FALSE(kept({.source = "def test_it():\n    shop.card('A',\n      1)\n    assert shop.card('A',"}));
  EXPECT_FALSE(kept({.again = true})) << "it asked again";
  EXPECT_FALSE(kept({.again_in_case = "/rates/A?n=2"})) << "in other words";
}

TEST(KeptFailure, who_asks_once_or_another_or_sends_again_has_kept_nothing) {
  EXPECT_EQ(Asked{.again = 1}.verdicts(), "") << "it asked the service again";
  EXPECT_EQ(Asked{.refused = 404}.verdicts(), "") << "that is an answer";
  for (auto* source :
       {"", "    assert tolls.quote('A') == 80", "def test_quote():\n    a = tolls.quote('A')\n    assert a == 80",
        "def test_quote():\n    a = tolls.quote('A')\n    assert a.quote('x') == 80",
        "def test_quote():\n    a = tolls.requote('A')\n    assert tolls.quote('A') == 80",
        "void quote() {\n  setUp();\n  assertEquals(80, quote('A'));"})
    EXPECT_EQ(Asked{.source = source}.verdicts(), "") << source;
}

}  // namespace
}  // namespace retrial::oracles

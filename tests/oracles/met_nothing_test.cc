// silent-wrong-result: the test was given nothing where the answer has a value.
#include <gtest/gtest.h>

#include "tests/oracles/runs.h"

namespace retrial::oracles {
namespace {

// A read whose body broke off; the test is given what its client made of it.
Trial given(trace::Thrown told, const char* agent = "java") {
  Trial t("B1", "close(in-body)");
  for (auto* tale : {&t.reference, &t.in_case()}) tale->call("read", "GET", "/v1/secret/hello");
  t.reference.answers(200, R"({"data":{"value":"world"}})");
  t.in_case().gets_error();
  told.in_test = true;
  t.in_case().run().agents = t.reference.run().agents = {agent};
  t.in_case().fails({std::move(told)});
  return t;
}

TEST(MetNothing, an_assertion_that_wants_the_answers_value_and_finds_null) {
  EXPECT_EQ(given(assertion("expected:<world> but was:<null>")).verdicts(), "silent-wrong-result possible");
  EXPECT_EQ(given(assertion("assert None == 'world'")).verdicts(), "silent-wrong-result possible");
  EXPECT_EQ(given(assertion("expected:<moon> but was:<null>")).verdicts(), "") << "another thing's";
  EXPECT_EQ(given(assertion("got nil, want world"), "go").verdicts(), "") << "where its error may stand beside it";
}

TEST(MetNothing, a_line_of_the_tests_own_that_goes_on_with_null) {
  auto told = "Cannot invoke \"String.length()\" because the return value of \"Secret.value()\" is null";
  EXPECT_EQ(given(thrown("java.lang.NullPointerException", told)).verdicts(), "silent-wrong-result possible");
  EXPECT_EQ(given(thrown("builtins.TypeError", "'NoneType' object is not subscriptable"), "python").verdicts(),
            "silent-wrong-result possible");
}

}  // namespace
}  // namespace retrial::oracles

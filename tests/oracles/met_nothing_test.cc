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

// Whether a thing is there is asked by a test, and cannot be found out.
std::string denied(const char* function, const char* line, const char* agent = "python", int status = 503) {
  Trial t("P3", "error(503)");
  for (auto* tale : {&t.reference, &t.in_case()}) tale->call(function, "GET", "/files/a");
  t.reference.answers(200, R"({"size":5})");
  t.in_case().gets_error(status);
  t.in_case().run().agents = t.reference.run().agents = {agent};
  auto told = assertion("assert False");
  told.in_test = true;
  told.source = std::string("store = Store(base)\n") + line;
  t.in_case().fails({std::move(told)});
  return t.verdicts();
}

TEST(DeniedBy, who_asks_whether_a_thing_is_there_takes_an_outage_for_no) {
  EXPECT_EQ(denied("Store.exists", "assert store.exists('a')"), "silent-wrong-result likely");
  EXPECT_EQ(denied("Store.hasFile", "expect(await store.hasFile('a')).toBe(true)", "node"),
            "silent-wrong-result likely");
  EXPECT_EQ(denied("Store.is_up", "assert store.is_up()"), "") << "it is not up";
  EXPECT_EQ(denied("Store.fetch", "assert os.path.exists(store.fetch('a'))"), "") << "another's";
  EXPECT_EQ(denied("Store.exists", "assert store.copy('a')"), "") << "it may say that it could not";
  EXPECT_EQ(denied("Store.exists", "if !store.exists(\"a\") {", "go"), "") << "where its error may stand beside it";
}

}  // namespace
}  // namespace retrial::oracles

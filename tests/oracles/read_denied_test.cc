// silent-wrong-result: a truth value that stands where a read failed.
#include <gtest/gtest.h>

#include <string>

#include "tests/oracles/runs.h"

namespace retrial::oracles {
namespace {

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

TEST(SilentWrongResult, one_truth_value_in_place_of_the_other_is_possible_where_the_test_reads_alone) {
  auto denied = [](const char* text, const char* method = "GET", const char* target = "/acts/a1",
                   std::uint64_t statement = 5, const char* then = nullptr) {
    Trial t("P3", "error(transient)");
    for (auto* tale : {&t.reference, &t.in_case()}) {
      tale->call("known", method, target).last().tag.statement = statement;
      tale == &t.reference ? tale->answers(200, R"({"id":"a1"})") : tale->gets_error();
      if (!then || tale != &t.reference) continue;
      tale->call("book", then, "/seats").last().tag.statement = statement;
      tale->answers(201);
    }
    t.in_case().fails({assertion(text)});
    return t.verdicts();
  };
  for (auto* text : {"Expected values to be strictly equal:\n\nfalse !== true\n", "expected: <true> but was: <false>",
                     "assert False is True", "expected true to be false"})
    EXPECT_EQ(denied(text), "silent-wrong-result possible") << text;
  constexpr auto kFalse = "false !== true";
  EXPECT_EQ(denied(kFalse, "PUT"), "") << "who writes may tell so that it was not done";
  EXPECT_EQ(denied(kFalse, "GET", "/seats/7", 5, "POST"), "") << "so may who reads before it writes";
  EXPECT_EQ(denied(kFalse, "GET", "/health"), "") << "it is asked whether it is well";
  EXPECT_EQ(denied(kFalse, "GET", "/acts/a1", 0), "") << "what the test does there is not known";
  EXPECT_EQ(denied("{ ok: false } deepEqual { ok: true }"), "") << "it may tell of it";
}

}  // namespace
}  // namespace retrial::oracles

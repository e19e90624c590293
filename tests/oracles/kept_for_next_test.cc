#include <gtest/gtest.h>

#include "tests/oracles/runs.h"
#include "trace/executions.h"

// What the test that is executed after a failed one, in the same process, gets of its failure.
namespace retrial::oracles {
namespace {

constexpr auto kPassedOn = "503 Service Unavailable";

trace::Thrown error(const char* message = kPassedOn) {
  return {.type = "HttpError", .message = message, .link = "raised"};
}
Tale asks(Tale tale) { return tale.call("rate", "GET", "/rates/EUR").answers(200); }
Tale next() { return Tale(trace::RunKind::with_fault).waits(kSecond).moved_on(trace::kRest); }

struct Kept {
  int refused = 503;
  const char* failed = kTest;  // the next test
  const char* next_reference = "passed";

  trace::Finding finding(Tale next_in_case, std::vector<trace::Thrown> chain = {error()}) const {
    Trial t("P3", "error(transient)");
    t.reference.call("rate", "GET", "/rates/EUR").answers(200);
    t.in_case().call("rate", "GET", "/rates/EUR").gets_error(refused);
    t.in_case().fails(std::move(chain));
    auto without = Tale(trace::RunKind::alone).passes().done();
    without.results.front().outcome = next_reference;
    t.reference.run().followed_by = named(std::move(without));
    t.in_case().run().followed_by = named(next_in_case.done());
    auto findings = t.judge().findings;
    auto kept = std::ranges::find(findings, "kept-failure", &trace::Finding::verdict);
    return kept == findings.end() ? trace::Finding{} : *kept;
  }
  std::string verdict(Tale next_in_case, std::vector<trace::Thrown> chain = {error()}) const {
    return finding(std::move(next_in_case), std::move(chain)).verdict;
  }

 private:
  std::shared_ptr<trace::Run> named(trace::Run run) const {
    run.tests = {failed};
    for (auto& r : run.results) r.test = failed;
    return std::make_shared<trace::Run>(std::move(run));
  }
};

TEST(KeptForNext, the_same_test_once_more_fails_with_the_same_error_and_asks_nobody) {
  auto f = Kept().finding(next().fails({error()}));
  EXPECT_EQ(f.verdict, "kept-failure");
  EXPECT_EQ(f.confidence, trace::Confidence::likely);
  EXPECT_NE(f.message.find("The same test, executed after it in the same process"), std::string::npos) << f.message;
}

TEST(KeptForNext, is_possible_where_no_time_lay_between_in_which_a_breaker_closes) {
  EXPECT_EQ(Kept().finding(Tale(trace::RunKind::with_fault).fails({error()})).confidence, trace::Confidence::possible);
}

TEST(KeptForNext, another_test_is_named) {
  auto f = Kept{.failed = "test_other"}.finding(next().fails({error()}));
  EXPECT_NE(f.message.find("The test test_other, executed after it"), std::string::npos) << f.message;
}

TEST(KeptForNext, what_else_it_asks_for_may_go_well) {
  EXPECT_EQ(Kept().verdict(next().call("stock", "GET", "/stock").answers(200).fails({error()})), "kept-failure");
  EXPECT_EQ(Kept().verdict(next().call("stock", "GET", "/stock").gets_error().fails({error()})), "");
}

TEST(KeptForNext, not_where_it_asks_again) { EXPECT_EQ(Kept().verdict(asks(next()).fails({error()})), ""); }

TEST(KeptForNext, not_where_it_passes_or_fails_otherwise) {
  EXPECT_EQ(Kept().verdict(next().passes()), "");
  EXPECT_EQ(Kept().verdict(next().fails({error("no rate for EUR")})), "");
}

TEST(KeptForNext, not_where_it_fails_without_the_fault_too) {
  EXPECT_EQ(Kept{.next_reference = "failed"}.verdict(next().fails({error()})), "");
}

TEST(KeptForNext, not_by_a_breaker) {
  EXPECT_EQ(Kept().verdict(next().fails({error("circuit open")}), {error("circuit open")}), "");
}

TEST(KeptForNext, not_where_its_cause_is_another) {
  auto down = [](const char* cause) {
    return std::vector{error("the rates are down"), trace::Thrown{.type = "Cause", .message = cause, .link = "cause"}};
  };
  EXPECT_EQ(Kept().verdict(next().fails(down("503")), down("503")), "kept-failure");
  EXPECT_EQ(Kept().verdict(next().fails(down("not asked")), down("503")), "");
}

TEST(KeptForNext, not_of_an_answer_that_stays_so) {
  EXPECT_EQ(Kept{.refused = 404}.verdict(next().fails({error()})), "");
}

TEST(KeptForNext, not_of_a_write_of_which_nobody_knows_what_became) {
  auto lost = [](const char* method) {
    Trial t("P2", "lost-response(reset)");
    t.reference.call("pay", method, "/payments/7").answers(200);
    t.in_case().call("pay", method, "/payments/7").is_lost(trace::Telling::reset, 200);
    t.in_case().fails({error("connection reset")});
    auto without = Tale(trace::RunKind::alone).passes();
    t.reference.run().followed_by = std::make_shared<trace::Run>(without.done());
    auto then = next().fails({error("connection reset")});
    t.in_case().run().followed_by = std::make_shared<trace::Run>(then.done());
    return std::ranges::count(t.judge().findings, "kept-failure", &trace::Finding::verdict);
  };
  EXPECT_EQ(lost("POST"), 0);
  EXPECT_EQ(lost("GET"), 1);
}

TEST(KeptForNext, an_assertion_is_the_same_where_nobody_is_asked_for_anything) {
  auto wrong = assertion("assert 0 == 10");
  EXPECT_EQ(Kept().verdict(next().fails({wrong}), {wrong}), "kept-failure");
  EXPECT_EQ(Kept().verdict(next().call("stock", "GET", "/stock").answers(200).fails({wrong}), {wrong}), "");
}

}  // namespace
}  // namespace retrial::oracles

#include <gtest/gtest.h>

#include <string>

#include "tests/oracles/runs.h"
#include "trace/look.h"

namespace retrial::oracles {
namespace {

void look(Tale& tale, const char* shows, const char* at = "/things") {
  tale.call("", "GET", at);
  tale.last().tag.site = trace::CallSite{std::string(trace::kLookSite), 1, std::string(trace::kLookSite)};
  tale.answers(200, shows);
}

// A command gets over the fault, and the look shows `is`; without the fault `was`, and once more without it `again`
// (null: it is not run once more).
Judgement held(const char* was, const char* is, const char* again, int status = 0) {
  Trial t;
  t.row.test.clear();
  t.reference.call("", "PUT", "/feeds/a").answers(200);
  look(t.reference, was);
  t.reference.passes();
  t.in_case().call("", "PUT", "/feeds/a").is_lost(trace::Telling::reset, 200);
  t.in_case().again(kSecond).answers(200);
  look(t.in_case(), is);
  t.in_case().stops(trace::Stop::exited, status);
  if (status == 0) t.in_case().passes();
  Tale control(trace::RunKind::without_fault);
  control.call("", "PUT", "/feeds/a").answers(200);
  if (again) look(control, again), t.control = &control;
  return t.judge();
}
std::string told(const Judgement& judgement) {
  for (auto& f : judgement.findings)
    if (f.verdict == "silent-wrong-result") return std::string(show(f.confidence));
  return "";
}

constexpr auto kThree = R"({"items":[{"id":"a1"},{"id":"a2"},{"id":"a3"}]})";

TEST(StateAtEnd, another_list_is_possible_where_no_control_says_that_it_lies_at_the_fault) {
  EXPECT_EQ(told(held(kThree, R"({"items":[{"id":"a1"},{"id":"a3"}]})", nullptr)), "possible");
  EXPECT_EQ(told(held(kThree, R"({"items":[]})", nullptr)), "possible") << "all is gone";
  EXPECT_EQ(told(held(kThree, R"({"items":[{"id":"b1"},{"id":"b2"},{"id":"b3"}]})", nullptr)), "");
  EXPECT_EQ(told(held(R"({"total":3})", R"({"total":2})", nullptr)), "") << "of a number nothing is known";
}

// Each attempt adds a line to what it sends: no attempt of one call, to whoever reads the wire.
TEST(StateAtEnd, what_was_sent_again_with_another_content_was_got_over_too) {
  auto shows = [](const char* is, bool again) {
    Trial t("K1", "error(503) x 1, then pass");
    t.row.test.clear();
    constexpr auto kUsual = R"({"orders":[{"ref":"o-1","lines":["bolt","fee"]}]})";
    t.reference.call("", "POST", "/orders").answers(201);
    look(t.reference, kUsual);
    t.reference.passes();
    t.in_case().call("", "POST", "/orders").gets_error();
    if (again) t.in_case().call("", "POST", "/orders").answers(201);
    look(t.in_case(), is);
    t.in_case().stops(trace::Stop::exited, 0);
    t.in_case().passes();
    Tale control(trace::RunKind::without_fault);
    control.call("", "POST", "/orders").answers(201);
    look(control, kUsual);
    t.control = &control;
    return told(t.judge());
  };
  EXPECT_EQ(shows(R"({"orders":[{"ref":"o-1","lines":["bolt","fee","fee"]}]})", true), "likely");
  EXPECT_EQ(shows(R"({"orders":[{"ref":"o-1","lines":["bolt","fee"]}]})", true), "");
  EXPECT_EQ(shows(R"({"orders":[{"ref":"o-2","lines":["bolt","fee","fee"]}]})", false), "") << "it was given up";
}

TEST(StateAtEnd, it_is_likely_where_both_runs_without_the_fault_show_one_state) {
  auto judgement = held(kThree, R"({"items":[{"id":"a1"},{"id":"a3"}]})", kThree);
  EXPECT_EQ(told(judgement), "likely");
  auto message = judgement.findings.front().message;
  EXPECT_NE(
      message.find("GET /things, read when it had ended, then shows a list of 2, and of 3 without the fault (items); "
                   "without the fault once more, after all this, that was as before."),
      message.npos)
      << message;
  EXPECT_EQ(told(held(R"({"balance":200,"id":"x"})", R"({"balance":300,"id":"y"})", R"({"balance":200,"id":"z"})")),
            "likely");
  EXPECT_EQ(told(held(R"({"polls":3,"id":"x"})", R"({"polls":4,"id":"y"})", R"({"polls":3,"id":"z"})")), "");
  EXPECT_EQ(told(held(R"([{"qty":2},{"qty":5}])", R"([{"qty":5},{"qty":4}])", R"([{"qty":5},{"qty":2}])")), "likely");
  EXPECT_EQ(told(held("a\nb\n", "a\nb\nb\n", "a\nb\n")), "likely") << "lines of a ledger";
}

TEST(StateAtEnd, things_that_are_found_by_keys_are_a_list_too) {
  constexpr auto kAll = R"({"products":{"sku-1":{"price":4},"sku-2":{"price":5}}})";
  auto judgement = held(kAll, R"({"products":{"sku-1":{"price":4}}})", kAll);
  EXPECT_EQ(told(judgement), "likely");
  EXPECT_NE(judgement.findings.front().message.find("a list of 1, and of 2 without the fault"), std::string::npos);
  EXPECT_EQ(told(held(kAll, R"({"products":{"sku-2":{"price":5},"sku-1":{"price":4}}})", kAll)), "");
}

TEST(StateAtEnd, what_differs_without_the_fault_too_says_nothing) {
  constexpr auto kTwo = R"({"items":[{"id":"a1"},{"id":"a3"}]})";
  EXPECT_EQ(told(held(kTwo, kThree, R"({"items":[{"id":"a1"},{"id":"a2"},{"id":"a3"},{"id":"a4"}]})")), "");
  EXPECT_EQ(told(held(R"({"total":3})", R"({"total":4})", R"({"total":5})")), "");
  EXPECT_EQ(told(held("a\n", "a\nb\n", "a\nb\nc\n")), "");
}

TEST(StateAtEnd, order_versions_and_what_counts_attempts_are_no_other_state) {
  EXPECT_EQ(told(held(R"([{"id":"a"},{"id":"b"}])", R"([{"id":"b"},{"id":"a"}])", R"([{"id":"a"},{"id":"b"}])")), "");
  EXPECT_EQ(told(held(R"({"version":3})", R"({"version":4})", R"({"version":3})")), "");
  EXPECT_EQ(told(held(R"({"requests":[{"a":1}]})", R"({"requests":[{"a":1},{"a":1}]})", R"({"requests":[{"a":1}]})")),
            "possible");
  EXPECT_EQ(told(held(R"([{"method":"PUT","path":"/x"}])", R"([{"method":"PUT","path":"/x"},{"method":"PUT"}])",
                      R"([{"method":"PUT","path":"/x"}])")),
            "possible");
  EXPECT_EQ(told(held(R"({"errors":0})", R"({"errors":1})", R"({"errors":0})")), "possible");
}

TEST(StateAtEnd, lines_and_lists_of_requests_are_possible_and_one_line_of_json_is_a_line) {
  EXPECT_EQ(told(held(R"(["POST /orders"])", R"(["POST /orders","POST /orders"])", R"(["POST /orders"])")), "possible");
  EXPECT_EQ(told(held("POST /orders\n", "POST /orders\nPOST /orders\n", "POST /orders\n")), "possible");
  EXPECT_EQ(told(held("{\"sum\":3}\n", "{\"sum\":3}\n{\"sum\":3}\n", "{\"sum\":3}\n")), "likely");
  EXPECT_EQ(
      told(held(R"({"/a/1":{"x":1},"/b/2":{"x":1}})", R"({"/a/1":{"x":1}})", R"({"/a/1":{"x":1},"/b/2":{"x":1}})")),
      "likely");
  EXPECT_NE(held(R"({"/a/1":{"x":1},"/b/2":{"x":1}})", R"({"/a/1":{"x":1}})", R"({"/a/1":{"x":1},"/b/2":{"x":1}})")
                .findings.front()
                .message.find("a list of 1, and of 2 without the fault"),
            std::string::npos);
}

// A lock is taken, the answer lost, and the repeat told that it is held.
Judgement refused(const char* is, int status, const char* method = "POST") {
  Trial t;
  t.row.test.clear();
  t.reference.call("", method, "/locks/nightly").answers(201);
  t.reference.call("", "PUT", "/runs/d1").answers(200);
  look(t.reference, kThree);
  t.reference.passes();
  t.in_case().call("", method, "/locks/nightly").is_lost(trace::Telling::reset, 201);
  t.in_case().again(kSecond).answers(status);
  look(t.in_case(), is);
  t.in_case().stops(trace::Stop::exited, 0);
  t.in_case().passes();
  Tale control(trace::RunKind::without_fault);
  look(control, kThree);
  t.control = &control;
  return t.judge();
}

TEST(StateAtEnd, a_repeat_that_met_its_own_effect_and_was_taken_for_another_s_doing) {
  constexpr auto kTwo = R"({"items":[{"id":"a1"},{"id":"a3"}]})";
  auto judgement = refused(kTwo, 409);
  EXPECT_EQ(told(judgement), "likely");
  EXPECT_TRUE(judgement.findings.front().message.contains(
      "its own effect was met when it was sent again (409 Conflict), and the command ended with status 0; GET /things"))
      << judgement.findings.front().message;
  EXPECT_EQ(told(refused(kThree, 409)), "") << "it was known for its own";
  EXPECT_EQ(told(refused(kTwo, 503)), "") << "refused for another reason";
  EXPECT_EQ(told(refused(kTwo, 404, "DELETE")), "") << "gone, whoever did it";
}

TEST(StateAtEnd, what_a_queue_gave_in_a_lost_answer_is_worked_on_later) {
  auto worked = [](const char* next, const char* is) {
    Trial t;
    t.row.test.clear();
    constexpr auto kFirst = R"({"messages":[{"id":"m1"},{"id":"m2"}]})";
    t.reference.call("", "GET", "/queues/q/messages").answers(200, kFirst);
    look(t.reference, kThree);
    t.reference.passes();
    t.in_case().call("", "GET", "/queues/q/messages").is_lost(trace::Telling::reset, 200, kFirst);
    t.in_case().again(kSecond).answers(200, next);
    look(t.in_case(), is);
    t.in_case().stops(trace::Stop::exited, 0).passes();
    Tale control(trace::RunKind::without_fault);
    look(control, kThree);
    t.control = &control;
    return told(t.judge());
  };
  constexpr auto kOne = R"({"items":[{"id":"a3"}]})";
  EXPECT_EQ(worked(R"({"messages":[{"id":"m3"}]})", kOne), "");
  EXPECT_EQ(worked(R"({"messages":[]})", kOne), "");
  EXPECT_EQ(worked(R"({"messages":[{"id":"m1"},{"id":"m2"}]})", kOne), "likely") << "it was told all";
}

TEST(StateAtEnd, what_waits_in_a_queue_is_not_what_was_done_twice) {
  auto waits = [](const char* at) {
    Trial t;
    t.row.test.clear();
    constexpr auto kNone = R"({"waiting":0})";
    t.reference.call("", "POST", "/queue/receive").answers(200, R"({"message":{"id":"m1"}})");
    look(t.reference, kNone, at);
    t.reference.passes();
    t.in_case().call("", "POST", "/queue/receive").is_lost(trace::Telling::reset, 200, R"({"message":{"id":"m1"}})");
    t.in_case().again(kSecond).answers(200, R"({"message":{"id":"m2"}})");
    look(t.in_case(), R"({"waiting":1})", at);
    t.in_case().stops(trace::Stop::exited, 0).passes();
    Tale control(trace::RunKind::without_fault);
    look(control, kNone, at);
    t.control = &control;
    return t.verdicts();
  };
  for (auto at : {"/queue", "/queue/stats"}) {
    EXPECT_FALSE(waits(at).contains("duplicate-effect likely")) << at;
    EXPECT_FALSE(waits(at).contains("silent-wrong-result")) << at;
  }
  EXPECT_TRUE(waits("/queued-mails").contains("duplicate-effect likely")) << "what came of it";
}

TEST(StateAtEnd, of_several_calls_that_met_the_fault_it_is_told_of_the_one_that_changes_something) {
  Trial t;
  t.row.test.clear();
  auto took = [](Tale& tale, bool lost) {
    for (auto [method, path] : {std::pair("GET", "/stock/bolt"), std::pair("PUT", "/stock/bolt/next")}) {
      tale.call("", method, path);
      if (lost) tale.is_lost(trace::Telling::reset, 200), tale.again(kSecond);
      tale.answers(200);
    }
    look(tale, lost ? R"({"left":32})" : R"({"left":36})", "/stock");
    tale.stops(trace::Stop::exited, 0).passes();
  };
  took(t.reference, false);
  took(t.in_case(), true);
  Tale control(trace::RunKind::without_fault);
  took(control, false);
  t.control = &control;
  auto judgement = t.judge();
  EXPECT_EQ(told(judgement), "likely");
  EXPECT_TRUE(judgement.findings.front().operation.starts_with("PUT ")) << judgement.findings.front().message;
}

TEST(StateAtEnd, a_command_that_failed_has_told_of_it) {
  EXPECT_EQ(told(held(kThree, R"({"items":[{"id":"a1"}]})", kThree, 1)), "");
}

TEST(DuplicateEffect, is_none_where_a_look_shows_that_the_service_holds_no_more_than_without_the_fault) {
  auto sent = [](const char* shows, const char* looked_at = "/__state/payouts") {
    Trial t;
    t.row.test.clear();
    auto pay = [](Tale& tale) -> Tale& {
      tale.call("pay", "POST", "/payouts");
      tale.last().request_sample = R"({"account":"acct-77","sum":5})";
      tale.last().request_digest = 7;
      return tale;
    };
    pay(t.reference).answers(201);
    look(t.reference, R"([{"id":"1a","account":"acct-77","sum":5}])", looked_at);
    t.reference.passes();
    pay(t.in_case()).is_lost(trace::Telling::reset, 201);
    t.in_case().again(kSecond).answers(201);
    look(t.in_case(), shows, looked_at);
    t.in_case().passes();
    return t.verdicts().contains("duplicate-effect likely");
  };
  EXPECT_FALSE(sent(R"([{"id":"9z","account":"acct-77","sum":5}])"));
  EXPECT_TRUE(sent(R"([{"id":"9z","account":"acct-77","sum":5},{"id":"8y","account":"acct-77","sum":5}])"));
  EXPECT_TRUE(sent(R"([{"id":"9z","account":"acct-77","sum":10}])"));
  EXPECT_TRUE(sent(R"([{"id":"9z","account":"acct-77","sum":5}])", "/__state/accounts")) << "of something else";
}

TEST(DuplicateEffect, is_none_where_all_that_the_service_holds_is_as_without_the_fault) {
  auto captured = [](const char* shows) {
    Trial t;
    t.row.test.clear();
    t.reference.call("pay", "POST", "/ledger/accounts/pay-2026-11/credit").answers(200);
    look(t.reference, R"({"accounts":{"pay-2026-11":{"balance":5}},"holds":[]})", "/__state");
    t.reference.passes();
    t.in_case().call("pay", "POST", "/ledger/accounts/pay-2026-11/credit").is_lost(trace::Telling::reset, 200);
    t.in_case().again(kSecond).answers(200);
    look(t.in_case(), shows, "/__state");
    t.in_case().passes();
    auto verdicts = t.verdicts();
    return verdicts.contains("duplicate-effect likely") || verdicts.contains("retries-non-idempotent");
  };
  EXPECT_FALSE(captured(R"({"accounts":{"pay-2026-11":{"balance":5}},"holds":[]})"));
  EXPECT_TRUE(captured(R"({"accounts":{"pay-2026-11":{"balance":10}},"holds":[]})"));
}

TEST(StateAtEnd, what_stands_there_with_the_fault_alone_is_another_state) {
  constexpr auto kFree = R"({"locks":{},"run":"a"})", kHeld = R"({"locks":{"production":"rollout"},"run":"b"})";
  EXPECT_EQ(told(held(kFree, kHeld, kFree)), "likely");
  EXPECT_EQ(told(held(kHeld, kFree, kHeld)), "likely");
  EXPECT_EQ(told(held(kFree, kHeld, kHeld)), "") << "without the fault too";
  EXPECT_EQ(told(held(R"({"k":{"ab":1}})", R"({"k":{"cd":1}})", R"({"k":{"ef":1}})")), "") << "other names each time";
}

}  // namespace
}  // namespace retrial::oracles

#include <gtest/gtest.h>

#include "tests/oracles/runs.h"

namespace retrial::oracles {
namespace {
using trace::Confidence;
using trace::Telling;

const std::vector<trace::Header> kAzure = {{"x-ms-version", "2025-11-05"}, {"x-ms-client-request-id", "11"}};

TEST(Judge, one_event_gives_one_verdict_the_stronger) {
  // A message is sent twice, and the test's assertion on the queue fails: one event.
  Trial t;
  t.reference.call("submit", "POST", "/acc/jobs/messages", kAzure, "azure-storage").answers(201);
  t.in_case().call("submit", "POST", "/acc/jobs/messages", kAzure, "azure-storage").is_lost(Telling::reset, 201);
  t.in_case().again(kMillisecond).answers(201).fails({assertion("assert 2 == 1")});
  EXPECT_EQ(t.verdicts(), "duplicate-effect certain");
}

TEST(Judge, of_two_confidences_the_surer_stays) {
  // Of a request that reads by its name the duplicate is possible at most, the wrong result is likely.
  Trial t;
  t.reference.call("put", "POST", "/orders/search").answers(201);
  t.in_case().call("put", "POST", "/orders/search").is_lost(Telling::reset, 201);
  t.in_case().again(kMillisecond).answers(201).fails({assertion("assert 2 == 1")});
  EXPECT_EQ(t.verdicts(), "silent-wrong-result likely");
}

TEST(Judge, an_answer_about_expiry_after_minutes_of_jumps_may_be_our_doing) {
  auto why = [](Nanos jump, int status) {
    Trial t("P3", "error(503) x 1, then pass");
    t.reference.call("put", "PUT", "/orders/1").answers(200);
    t.in_case().call("put", "PUT", "/orders/1").gets_error().moved_on(jump);
    t.in_case().again(0).answers(status).fails({thrown("HTTPError", "it says " + std::to_string(status))});
    return t.why_not();
  };
  EXPECT_NE(why(5 * 60 * kSecond, 403).find("the client's clock was 5 min ahead when the service answered 403"),
            std::string::npos);
  EXPECT_EQ(why(3 * 60 * kSecond, 403), "");
  EXPECT_EQ(why(5 * 60 * kSecond, 422), "");
}

TEST(Judge, what_speaks_of_something_else_stands_beside_it) {
  Trial t("P3", "error(transient)");
  t.reference.call("get", "GET", "/orders").answers(200);
  auto& c = t.in_case().call("get", "GET", "/orders").gets_error();
  for (int i = 0; i < 7; i++) c.again(0).gets_error();
  c.fails({thrown("builtins.KeyError", "'id'")});
  EXPECT_EQ(t.verdicts(), "unrelated-exception likely, missing-delay likely");
}

TEST(Judge, a_repeated_case_gives_each_finding_once_from_its_latest_run) {
  Trial t;
  t.reference.call("submit", "POST", "/acc/jobs/messages", kAzure, "azure-storage").answers(201);
  for (int i = 0; i < 3; i++) {
    auto& tale = i ? t.one_more() : t.in_case();
    tale.call("submit", "POST", "/acc/jobs/messages", kAzure, "azure-storage").is_lost(Telling::reset, 201);
    tale.again(kMillisecond).answers(201).passes();
  }
  auto judgement = t.judge();
  ASSERT_EQ(judgement.findings.size(), 1u);
  EXPECT_EQ(judgement.findings[0].run, 4u);
}

TEST(Judge, nothing_comes_of_an_incomplete_run) {
  for (bool reference : {false, true}) {
    Trial t;
    t.reference.call("submit", "POST", "/acc/jobs/messages", kAzure, "azure-storage").answers(201);
    t.in_case().call("submit", "POST", "/acc/jobs/messages", kAzure, "azure-storage").is_lost(Telling::reset, 201);
    t.in_case().again(kMillisecond).answers(201).passes();
    (reference ? t.reference : t.in_case()).run().incomplete = "the disk was full";
    EXPECT_EQ(t.verdicts(), "");
    EXPECT_EQ(t.why_not(), "the disk was full");
  }
}

TEST(Judge, a_fault_that_was_planned_and_never_fired_is_not_judged) {
  Trial t;
  t.reference.call("put", "PUT", "/orders/1").answers(200);
  t.in_case().call("put", "PUT", "/orders/1").answers(500).fails({assertion("assert 1")});
  EXPECT_EQ(t.verdicts(), "");
  EXPECT_EQ(t.why_not(), "the fault was planned and never fired");
}

TEST(Judge, says_why_an_error_was_not_lost) {
  Trial t("P1", "lost-response(reset) x 1, then pass");
  t.reference.call("put", "PUT", "/orders/1").answers(201);
  t.in_case().call("put", "PUT", "/orders/1").answers(409);
  EXPECT_NE(t.why_not().find("an answer that is an error is not lost, and PUT /orders/{id} was answered 409 Conflict"),
            std::string::npos)
      << t.why_not();
}

TEST(Judge, a_failure_that_capture_itself_can_cause_is_not_judged) {
  auto trial = [](std::string message, std::uint64_t interrupted) {
    Trial t("K1", "error(transient) x 1, then pass");
    t.reference.call("put", "PUT", "/orders/1").answers(200);
    t.in_case().call("put", "PUT", "/orders/1").gets_error().fails({thrown("builtins.OSError", std::move(message))});
    t.in_case().run().capture.interrupted = interrupted;
    return t;
  };
  EXPECT_EQ(trial("[Errno 4] Interrupted system call", 1).verdicts(), "");
  EXPECT_NE(trial("[Errno 4] Interrupted system call", 1).why_not().find("by capture itself"), std::string::npos);
  EXPECT_EQ(trial("[Errno 32] Broken pipe", 1).verdicts(), "");
  EXPECT_EQ(trial("[Errno 4] Interrupted system call", 0).verdicts(), "unrelated-exception likely");
  EXPECT_EQ(trial("no such file", 1).verdicts(), "unrelated-exception likely");
}

TEST(Judge, an_interrupted_run_is_not_judged) {
  Trial t;
  t.reference.call("get", "GET", "/orders").answers(200);
  t.in_case().call("get", "GET", "/orders").is_lost(Telling::reset, 200).stops(trace::Stop::interrupted);
  EXPECT_EQ(t.why_not(), "interrupted");
}

TEST(State, fills_in_what_every_finding_needs) {
  Trial t;
  t.reference.call("submit", "POST", "/acc/jobs/messages", kAzure, "azure-storage").answers(201);
  t.in_case().call("submit", "POST", "/acc/jobs/messages", kAzure, "azure-storage").is_lost(Telling::reset, 201);
  t.in_case().again(kMillisecond).answers(201).passes();
  auto f = t.judge().findings.at(0);
  EXPECT_EQ(f.test, kTest);
  ASSERT_TRUE(f.site);
  EXPECT_EQ(show(*f.site), "src/orders.py:12 submit");
  EXPECT_EQ(f.service, "127.0.0.1:9000");
  EXPECT_EQ(f.operation, "POST /{account}/{queue}/messages");
  EXPECT_EQ(f.policy, "P1");
  EXPECT_EQ(f.fault, "lost-response(reset) x 1, then pass");
  EXPECT_EQ(f.run, 2u);
  EXPECT_EQ(f.reference, 1u);
  EXPECT_FALSE(f.confirmed || f.accepted || f.note);
  EXPECT_EQ(f.id, trace::finding_id("duplicate-effect", f.site, f.operation, f.fault));
  EXPECT_EQ(f.id.size(), 8u);
}

trace::Finding finding(std::string verdict, Confidence confidence, bool note = false) {
  trace::Finding f;
  f.verdict = std::move(verdict);
  f.confidence = confidence;
  f.note = note;
  return f;
}

TEST(Rank, puts_the_worst_first) {
  std::vector<trace::Finding> expected = {finding("duplicate-effect", Confidence::certain),
                                          finding("silent-wrong-result", Confidence::likely),
                                          finding("crash", Confidence::certain),
                                          finding("unrelated-exception", Confidence::certain),
                                          finding("unrelated-exception", Confidence::likely),
                                          finding("hang", Confidence::likely),
                                          finding("missing-cap", Confidence::likely),
                                          finding("missing-delay", Confidence::likely),
                                          finding("retries-non-idempotent", Confidence::possible),
                                          finding("missing-timeout", Confidence::possible),
                                          finding("a-later-verdict", Confidence::possible),
                                          finding("cap-not-seen", Confidence::certain, true)};
  for (std::size_t i = 0; i + 1 < expected.size(); i++)
    EXPECT_LT(rank(expected[i]), rank(expected[i + 1])) << expected[i].verdict << " and " << expected[i + 1].verdict;
}

TEST(Notes, a_safe_call_that_was_not_sent_again_on_a_transient_error_is_a_note) {
  auto notes = [](std::string method, bool retried) {
    Trial t("K1", "error(transient) x 1, then pass");
    t.reference.call("get", method, "/orders").answers(200);
    t.in_case().call("get", method, "/orders").gets_error();
    if (retried) t.in_case().again(kSecond).answers(200);
    t.in_case().fails({thrown("HTTPError", "503")});
    std::string out;
    for (auto& note : t.judge().notes) out += note.verdict;
    return out;
  };
  EXPECT_EQ(notes("GET", false), "not-retried-transient");
  EXPECT_EQ(notes("PUT", false), "not-retried-transient");
  EXPECT_EQ(notes("POST", false), "");
  EXPECT_EQ(notes("GET", true), "");
}

TEST(Notes, a_call_that_another_service_is_asked_for_instead_is_none) {
  auto noted = [](bool usual) {
    Trial t("K1", "error(transient) x 1, then pass");
    auto elsewhere = [](Tale& tale) {
      tale.call("get", "GET", "/orders");
      tale.last().service = tale.last().host = "127.0.0.1:9001";
      tale.answers(200);
    };
    t.reference.call("get", "GET", "/orders").answers(200);
    if (usual) elsewhere(t.reference);
    t.in_case().call("get", "GET", "/orders").gets_error();
    elsewhere(t.in_case());
    t.in_case().passes();
    return t.judge().notes.size();
  };
  EXPECT_EQ(noted(false), 0U);
  EXPECT_EQ(noted(true), 1U) << "of both each time";
}

TEST(Notes, a_call_that_is_sent_again_after_the_same_error_in_another_case_is_none) {
  auto judged = [](int status_elsewhere) {
    auto trial = [](std::string plan, int status, bool again) {
      Trial t("P3", std::move(plan));
      t.reference.call("get", "GET", "/orders").answers(200);
      t.in_case().call("get", "GET", "/orders").gets_error(status);
      if (again) t.in_case().again(kSecond).answers(200);
      t.in_case().passes();
      return t;
    };
    auto one = trial("error(transient) x 1, then pass", 503, false);
    auto other = trial(status_elsewhere == 503 ? "error(503)" : "error(429)", status_elsewhere, true);
    ComparedCase all[] = {one.compared(), other.compared()};
    return std::ranges::count(oracles::judge(all).notes, "not-retried-transient", &trace::Finding::verdict);
  };
  EXPECT_EQ(judged(503), 0);
  EXPECT_EQ(judged(429), 1) << "another error may be another matter";
}

TEST(Notes, a_run_without_an_agent_says_so_once_where_call_sites_are_missing) {
  auto trial = [](std::string site, std::vector<std::string> agents, bool other_site = false) {
    Trial t;
    t.reference.call(site, "PUT", "/orders/1").answers(200);
    if (other_site) t.in_case().call("look", "GET", "/orders").answers(200);
    t.in_case().call(site, "PUT", "/orders/1").is_lost(Telling::reset, 200);
    t.in_case().again(kSecond).answers(200).passes();
    t.in_case().run().agents = std::move(agents);
    return t.judge().notes;
  };
  auto notes = trial("", {});
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].verdict, "no-agent");
  EXPECT_TRUE(notes[0].note);
  EXPECT_EQ(notes[0].id, trace::finding_id("no-agent", {}, "", ""));
  EXPECT_TRUE(trial("put", {}).empty());
  EXPECT_TRUE(trial("", {"python"}).empty());
  auto stripped = trial("", {"native"});
  ASSERT_EQ(stripped.size(), 1u);
  EXPECT_TRUE(stripped[0].message.contains("debug information")) << stripped[0].message;
  EXPECT_TRUE(trial("", {"native"}, true).empty()) << "others have theirs: this one leaves by a way that is not seen";
}

}  // namespace
}  // namespace retrial::oracles

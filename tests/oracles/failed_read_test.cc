// What is done because something could not be read, and what looks show of it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "oracles/evidence.h"
#include "tests/oracles/runs.h"

namespace retrial::oracles {
namespace {

// A job that removes the documents of what is no longer listed.
Trial swept(bool made_here) {
  Trial t("P3", "error(503)");
  for (auto* tale : {&t.reference, &t.in_case()})
    if (made_here) tale->call("index", "PUT", "/docs/A1").answers(201);
  t.reference.call("sync", "GET", "/products").answers(200, R"(["A1","B2"])");
  t.reference.call("sync", "DELETE", "/docs/X9").answers(204);
  t.in_case().call("sync", "GET", "/products").gets_error();
  t.in_case().call("sync", "DELETE", "/docs/X9").answers(204);
  t.in_case().call("sync", "DELETE", "/docs/A1").answers(204);
  if (!made_here) t.in_case().call("sync", "DELETE", "/docs/B2").answers(204);
  t.in_case().passes();
  return t;
}

TEST(SweptAfter, what_is_kept_without_the_fault_was_taken_for_what_is_no_longer_there) {
  auto t = swept(false);
  EXPECT_EQ(t.verdicts(), "silent-wrong-result likely");
  auto message = t.judge().findings[0].message;
  EXPECT_NE(message.find("DELETE /docs/A1 was then made of 2 things that are kept without the fault"), message.npos)
      << message;
}

TEST(SweptAfter, what_was_made_in_this_run_may_be_taken_back) { EXPECT_EQ(swept(true).verdicts(), ""); }

// What Retrial asks when the command has ended.
Tale& look(Tale& tale, const std::string& target) {
  tale.call("", "GET", target);
  tale.last().tag.site = trace::CallSite{std::string(trace::kLookSite), 1, std::string(trace::kLookSite)};
  return tale;
}

// Settings that are there, read in vain, and then put anew.
Trial put_anew(const char* there, const char* put, std::vector<trace::Header> headers = {}, bool read_since = false) {
  Trial t("P3", "error(503)");
  t.reference.call("exists", "GET", "/settings/u1").answers(200, there);
  t.in_case().call("exists", "GET", "/settings/u1").gets_error();
  if (read_since) t.in_case().call("show", "GET", "/settings/u1").answers(200, there);
  t.in_case().call("ensure", "PUT", "/settings/u1", std::move(headers));
  t.in_case().last().request_sample = put;
  t.in_case().last().request_bytes = t.in_case().last().request_sample.size();
  t.in_case().last().request_digest = 7;
  t.in_case().answers(200);
  for (auto* tale : {&t.reference, &t.in_case()}) tale->call("show", "GET", "/settings/u1").answers(200, there);
  t.in_case().passes();
  return t;
}

TEST(PutOver, what_is_there_was_taken_for_what_is_not) {
  constexpr const char* kThere = R"({"limit":77,"at":"2026-01-02T03:04:05Z"})";
  auto t = put_anew(kThere, R"({"limit":10})");
  EXPECT_EQ(t.verdicts(), "silent-wrong-result likely");
  auto message = t.judge().findings[0].message;
  EXPECT_NE(message.find("PUT /settings/u1 was then made over what is there"), message.npos) << message;
  EXPECT_EQ(put_anew("hello", "default").verdicts(), "silent-wrong-result likely");
}

TEST(PutOver, what_is_the_same_or_guarded_or_was_read_since_harms_nothing) {
  constexpr const char* kThere = R"({"limit":77,"at":"2026-01-02T03:04:05Z"})";
  EXPECT_EQ(put_anew(kThere, R"({"limit":77,"at":"2026-02-02T03:04:05Z"})").verdicts(), "") << "a cache";
  EXPECT_EQ(put_anew(kThere, R"({"limit":10})", {{"if-none-match", "*"}}).verdicts(), "");
  EXPECT_EQ(put_anew(kThere, R"({"limit":10})", {}, true).verdicts(), "");
  EXPECT_EQ(put_anew("page of 10:15", "page of 10:16").verdicts(), "") << "it may tell the time";
}

TEST(SweptAfter, a_command_without_an_agent_is_its_own_application) {
  Trial t("P3", "error(503)");
  t.row.test.clear();
  t.reference.call("", "GET", "/hosts").answers(200, R"(["a1","b2"])");
  t.in_case().call("", "GET", "/hosts").gets_error();
  for (auto* host : {"a1", "b2"}) t.in_case().call("", "DELETE", std::string("/records/") + host).answers(204);
  t.in_case().passes();
  EXPECT_NE(t.verdicts().find("silent-wrong-result likely"), std::string::npos) << t.verdicts();
}

TEST(SilentWrongResult, what_a_look_asks_is_not_asked_again_by_the_client) {
  Trial t("P3", "error(503)");
  auto save = [](Tale& tale, const char* body) {
    tale.call("save", "PUT", "/settings");
    tale.last().request_sample = body;
    tale.answers(200);
    look(tale, "/settings").answers(200, body);
  };
  constexpr auto kAll = R"({"theme":"dark","locale":"en","zone":"UTC","days":90})";
  t.reference.call("load", "GET", "/settings").answers(200, kAll);
  save(t.reference, R"({"theme":"light","locale":"en","zone":"UTC","days":90})");
  t.in_case().call("load", "GET", "/settings").gets_error();
  save(t.in_case(), R"({"theme":"light"})");
  t.in_case().passes();
  EXPECT_EQ(t.verdicts(), "silent-wrong-result likely");
}

TEST(SilentWrongResult, a_failure_is_no_end_of_a_wait) {
  for (bool passes : {false, true}) {
    Trial t("P3", "error(503)");
    auto looks_at = [](Tale& tale) -> Tale& { return tale.call("wait", "GET", "/jobs/j1"); };
    for (auto* status : {"queued", "running", "succeeded"})
      looks_at(t.reference).answers(200, std::string(R"({"status":")") + status + "\"}");
    auto release = [](Tale& tale) -> Tale& {
      tale.call("wait", "POST", "/releases");
      tale.last().request_sample = R"({"job":"j1"})";
      return tale;
    };
    release(t.reference).answers(201);
    looks_at(t.in_case()).answers(200, R"({"status":"queued"})");
    looks_at(t.in_case()).gets_error();
    if (passes) looks_at(t.in_case()).answers(200, R"({"status":"succeeded"})");
    release(t.in_case()).answers(201).passes();
    EXPECT_EQ(t.verdicts(), passes ? "" : "silent-wrong-result likely");
    t.in_case().last().request_sample = R"({"job":"j9"})";
    EXPECT_EQ(t.verdicts(), "") << "of another thing";
  }
}

TEST(LostEffect, is_seen_by_a_look_at_things_that_are_found_by_keys) {
  auto shipped = [](const char* sends, const char* all, const char* rest) {
    Trial t("P3", "error(503)");
    auto ship = [&](Tale& tale) -> Tale& {
      tale.call("ship", "POST", "/logs/_bulk");
      tale.last().request_sample = sends;
      return tale;
    };
    ship(t.reference).answers(200);
    look(t.reference, "/state").answers(200, all);
    ship(t.in_case()).gets_error();
    look(t.in_case(), "/state").answers(200, rest).passes();
    return t.verdicts();
  };
  EXPECT_EQ(shipped(R"([{"id":"web1-4","line":"a"},{"id":"web1-5","line":"b"}])",
                    R"({"logs":{"web1-3":"z","web1-4":"a","web1-5":"b"}})", R"({"logs":{"web1-3":"z"}})"),
            "lost-effect likely");
  EXPECT_EQ(shipped(R"({"price":45,"name":"chair"})", R"({"products":{"p-1":{"price":45,"name":"chair"}}})",
                    R"({"products":{}})"),
            "lost-effect likely");
  EXPECT_EQ(shipped(R"({"price":45,"name":"chair"})", R"({"config":{"price":45,"name":"chair"}})", R"({"config":{}})"),
            "lost-effect possible")
      << "no collection";
}

TEST(LostEffect, is_seen_by_a_look_that_is_answered_without_a_body) {
  auto sent = [](const char* shows) {
    Trial t("P3", "error(503)");
    t.row.test.clear();
    for (auto* tale : {&t.reference, &t.in_case()}) {
      tale->call("pump", "POST", "/topics/a").last().request_sample = R"({"id":"inv-1","cents":100})";
      tale == &t.reference ? tale->answers(200) : tale->gets_error();
      look(*tale, "/topics/a");
      tale == &t.reference ? tale->answers(200, R"({"records":[{"id":"inv-1","cents":100}]})")
                           : tale->answers(204, shows);
      tale->stops(trace::Stop::exited, 0).passes();
    }
    return t.verdicts();
  };
  EXPECT_EQ(sent(""), "lost-effect likely");
  EXPECT_EQ(sent("not here"), "") << "who knows what it tells";
}

TEST(LostEffect, is_seen_by_a_look_that_counts_less) {
  for (auto [name, verdict] : {std::pair("size", "lost-effect likely"), {"version", "lost-effect possible"}}) {
    Trial t("P3", "error(503)");
    auto put = [](Tale& tale) -> Tale& { return tale.call("part", "PUT", "/uploads/u1/parts/2"); };
    auto file = [&](int size) { return fmt::format(R"({{"items":[{{"name":"b.bin","{}":{}}}]}})", name, size); };
    put(t.reference).answers(200);
    look(t.reference, "/files").answers(200, file(70000));
    put(t.in_case()).gets_error();
    look(t.in_case(), "/files").answers(200, file(53616)).passes();
    EXPECT_EQ(t.verdicts(), verdict);
  }
}

TEST(SilentWrongResult, what_is_booked_though_a_read_would_have_said_that_it_is_taken) {
  auto booked = [](const char* place) {
    Trial t("P3", "error(503)");
    auto put = [](Tale& tale, std::string name) {
      tale.call("book", "GET", "/places").answers(200, R"({"items":[{"name":"A1"},{"name":"A2"}]})");
      tale.call("book", "PUT", "/parcels/p");
      tale.last().request_sample = R"({"place":")" + name + "\"}";
      tale.answers(200);
    };
    t.reference.call("held", "GET", "/holds").answers(200, R"({"items":[{"place":"A1","by":"mira"}]})");
    put(t.reference, "A2");
    t.in_case().call("held", "GET", "/holds").gets_error();
    put(t.in_case(), place);
    t.in_case().passes();
    return t.verdicts();
  };
  EXPECT_EQ(booked("A1"), "silent-wrong-result likely");
  EXPECT_EQ(booked("A2"), "");
  EXPECT_EQ(booked("B7"), "") << "another each time";
}

TEST(SweptAfter, one_thing_more_is_seen_beside_what_is_removed_without_the_fault_too) {
  Trial t("P3", "error(503)");
  t.reference.call("sync", "GET", "/products?page=2").answers(200, R"(["B2"])");
  t.reference.call("sync", "DELETE", "/docs/X9").answers(204);
  t.in_case().call("sync", "GET", "/products?page=2").gets_error();
  for (auto* doc : {"B2", "X9"}) t.in_case().call("sync", "DELETE", std::string("/docs/") + doc).answers(204);
  t.in_case().passes();
  auto findings = t.judge().findings;
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_NE(findings[0].message.find("DELETE /docs/B2 was then made of a thing that is kept without the fault"),
            std::string::npos)
      << findings[0].message;
}

}  // namespace
}  // namespace retrial::oracles

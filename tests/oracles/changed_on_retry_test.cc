#include <gtest/gtest.h>

#include "base/text.h"
#include "tests/oracles/runs.h"

namespace retrial::oracles {
namespace {

// A write under a condition is refused by the fault, and sent again two seconds later under another.
Trial written_again(const char* header = "If-Match") {
  Trial t;
  t.reference.call("save", "PUT", "/doc/1", {{header, "\"v1\""}}).answers(200);
  t.in_case().call("save", "PUT", "/doc/1", {{header, "\"v1\""}}).gets_error();
  t.in_case().again(2 * kSecond).answers(200).passes();
  t.in_case().last().request_headers = {{header, "\"v2\""}};
  return t;
}
// The same, and the process reads in between.
Trial read_again(const char* header = "If-Match", int status = 200) {
  auto t = written_again(header);
  auto& exchanges = t.in_case().run().exchanges;
  auto told = exchanges[0].told;
  auto read = exchanges[1];
  read.method = "GET", read.operation = "GET /doc/{id}", read.request_headers.clear();
  read.id = 7, read.call = 7, read.attempt = 1;
  read.client_status = read.service_status = status;
  read.begun = told + kSecond, read.answered = read.service_done = read.told = told + kSecond + kMillisecond;
  exchanges.push_back(read);
  return t;
}

TEST(ChangedOnRetry, a_body_that_no_further_attempt_comes_to_is_used_up) {
  auto verdicts = [](trace::Ending ending, std::uint64_t sent, const char* announced) {
    Trial t;
    t.reference.call("up", "PUT", "/photos/1", {{"Transfer-Encoding", "chunked"}}).answers(200);
    t.in_case().call("up", "PUT", "/photos/1", {{"Transfer-Encoding", "chunked"}}).gets_error();
    t.in_case().last().request_bytes = 1302;
    t.in_case().again(2 * kSecond);
    auto& e = t.in_case().last();
    e.request_headers = {{announced, "chunked"}};
    e.request_read = 0, e.request_digest = 0, e.request_bytes = sent;
    e.ending = ending, e.told = e.begun + kMillisecond;
    t.in_case().passes();
    return t.verdicts();
  };
  EXPECT_EQ(verdicts(trace::Ending::client_left, 0, "Transfer-Encoding"), "changed-on-retry likely");
  EXPECT_EQ(verdicts(trace::Ending::client_left, 7, "Transfer-Encoding"), "") << "it was sending it";
  EXPECT_EQ(verdicts(trace::Ending::reset, 0, "Transfer-Encoding"), "") << "somebody else ended it";
}

TEST(ChangedOnRetry, a_condition_that_changes_by_itself_is_likely) {
  EXPECT_EQ(written_again().verdicts(), "changed-on-retry likely");
}

TEST(ChangedOnRetry, who_reads_again_before_he_writes_may_write_something_else) {
  EXPECT_EQ(read_again().verdicts(), "");
  EXPECT_EQ(read_again("If-Match", 404).verdicts(), "changed-on-retry likely") << "that said nothing to him";
  EXPECT_EQ(read_again("Idempotency-Key").verdicts(), "changed-on-retry likely") << "a key is the call's own";
}

TEST(ChangedOnRetry, who_reads_again_after_a_loss_decides_anew_and_has_no_effect_twice) {
  auto verdicts = [](bool reads) {
    Trial t;
    std::vector<trace::Header> condition{{"If-Match", "\"v1\""}};
    t.reference.call("save", "POST", "/doc/1", condition).answers(200);
    t.in_case().call("save", "POST", "/doc/1", condition).is_lost(trace::Telling::reset, 200);
    auto lost = t.in_case().last();
    if (reads) t.in_case().call("load", "GET", "/doc/1").answers(200);
    auto& e = t.in_case().again(kSecond).answers(200).last();
    e.method = lost.method, e.operation = lost.operation, e.tag = lost.tag, e.call = lost.call, e.attempt = 2;
    e.request_headers = {{"If-Match", "\"v2\""}};
    return t.verdicts();
  };
  EXPECT_EQ(verdicts(false), "duplicate-effect likely, changed-on-retry likely");
  EXPECT_EQ(verdicts(true), "");
}

TEST(ChangedOnRetry, what_the_service_refused_under_a_condition_and_is_written_without_it_is_likely) {
  auto verdicts = [](bool reads, bool conditional = false) {
    Trial t;
    std::vector<trace::Header> condition{{"If-Match", "\"v1\""}};
    t.reference.call("load", "GET", "/doc/1").answers(200);
    t.reference.call("save", "PUT", "/doc/1", condition).answers(200).passes();
    t.in_case().call("load", "GET", "/doc/1").answers(200);
    t.in_case().call("save", "PUT", "/doc/1", condition).is_lost(trace::Telling::reset, 200);
    t.in_case().again(kSecond).answers(412);
    if (reads) t.in_case().call("load", "GET", "/doc/1").answers(200);
    t.in_case()
        .call("save", "PUT", "/doc/1", conditional ? condition : std::vector<trace::Header>())
        .answers(200)
        .passes();
    return t.verdicts();
  };
  EXPECT_EQ(verdicts(false), "changed-on-retry likely");
  EXPECT_EQ(verdicts(true), "");
  EXPECT_EQ(verdicts(false, true), "");
}

// A file is sent, met by an error, and what is sent then is what is left of it.
TEST(ChangedOnRetry, a_file_that_was_not_rewound_is_likely_and_another_body_possible) {
  auto verdicts = [](const std::string& left) {
    Trial t;
    auto body = [](auto& run, const std::string& text) {
      auto& e = run.last();
      e.request_read = e.begun;
      e.request_sample = text;
      e.request_bytes = text.size();
      e.request_digest = text.empty() ? 0 : fnv1a(text);
    };
    t.reference.call("save", "PUT", "/doc/1").answers(200);
    body(t.reference, "a,b\n1,2\n");
    t.in_case().call("save", "PUT", "/doc/1").gets_error();
    body(t.in_case(), "a,b\n1,2\n");
    t.in_case().again(2 * kSecond).answers(200).passes();
    body(t.in_case(), left);
    return t.verdicts();
  };
  EXPECT_EQ(verdicts("a,b\n1,2\n"), "");
  EXPECT_EQ(verdicts(""), "changed-on-retry likely");
  EXPECT_EQ(verdicts("1,2\n"), "changed-on-retry likely");
  EXPECT_EQ(verdicts("a,b\n9,9\n"), "changed-on-retry possible");
}

TEST(ChangedOnRetry, a_total_that_the_next_attempt_finds_is_added_twice) {
  auto settled = [](const char* again, int usually = 1) {
    Trial t("K1", "error(503) x 1, then pass");
    auto put = [](Tale& tale, const char* body) -> Tale& {
      tale.call("settle", "PUT", "/accounts/acc-3/settlement");
      tale.last().request_sample = body;
      return tale;
    };
    for (int i = 0; i < usually; i++) put(t.reference, R"({"amount":350,"currency":"EUR"})").answers(200);
    put(t.in_case(), R"({"amount":350,"currency":"EUR"})").gets_error();
    put(t.in_case(), again).answers(200);
    t.in_case().passes();
    return t.verdicts();
  };
  EXPECT_EQ(settled(R"({"amount":700,"currency":"EUR"})"), "changed-on-retry likely");
  EXPECT_EQ(settled(R"({"amount":355,"currency":"EUR"})"), "") << "another amount";
  EXPECT_EQ(settled(R"({"amount":700,"currency":"USD"})"), "") << "another thing";
  EXPECT_EQ(settled(R"({"amount":350,"currency":"EUR"})"), "");
  EXPECT_EQ(settled(R"({"amount":700,"currency":"EUR"})", 2), "") << "it is sent several times";
}

}  // namespace
}  // namespace retrial::oracles

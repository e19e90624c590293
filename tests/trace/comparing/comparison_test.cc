#include "trace/comparing/comparison.h"

#include <gtest/gtest.h>

#include "trace/fault_name.h"

namespace retrial::trace {
namespace {

struct Builder {
  Run run;
  std::uint64_t calls = 0;
  Nanos now = kSecond;

  // A call and the statuses its client was told, attempt by attempt; 0 is a reset of ours, a negative one our error.
  Builder& call(std::string site, std::string operation, std::vector<int> told = {200}) {
    calls++;
    int attempt = 0;
    for (int status : told) {
      Exchange e;
      e.id = run.exchanges.size() + 1;
      e.call = calls;
      e.attempt = ++attempt;
      e.confidence = Confidence::certain;
      if (!site.empty()) e.tag.site = CallSite{site, 1, "f"};
      e.operation = operation;
      e.method = operation.substr(0, operation.find(' '));
      e.profile = "generic";
      e.begun = now += 10 * kMillisecond;
      e.told = now += kMillisecond;
      e.fired = status <= 0;
      if (status == 0) e.fault = {.name = FaultName::lost_response, .telling = Telling::reset};
      if (status < 0) e.fault = {.name = FaultName::error, .status = -status};
      e.service_status = status < 0 ? 0 : status == 0 ? 200 : status;
      e.client_status = status < 0 ? -status : status;
      e.ending = status == 0 ? Ending::reset : Ending::answered;
      run.exchanges.push_back(e);
    }
    return *this;
  }
};
std::string shown(const Call* c) {
  return c ? c->site + "|" + c->operation + "|" + std::to_string(c->occurrence) : "-";
}
std::vector<std::string> shown(const Comparison& c) {
  std::vector<std::string> out;
  for (auto& p : c.pairs) out.push_back(shown(p.reference) + " = " + shown(p.in_case));
  return out;
}

TEST(Calls, hold_their_attempts_in_order_and_the_lowest_confidence) {
  Builder b;
  b.call("a", "GET /x", {-503, 200}).call("a", "GET /x").call("b", "GET /x");
  b.run.exchanges[1].confidence = Confidence::likely;
  auto calls = calls_of(b.run);
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_EQ(calls[0].attempts.size(), 2u);
  EXPECT_EQ(calls[0].last().attempt, 2);
  EXPECT_EQ(calls[0].confidence, Confidence::likely);
  EXPECT_EQ(calls[1].occurrence, 2);
  EXPECT_EQ(calls[2].occurrence, 1);
}

TEST(Calls, show_an_attempt_that_was_redirected_by_its_last_leg_or_the_one_that_met_the_fault) {
  Builder b;
  b.call("a", "PUT /x", {307, -503, 307, 200});
  auto& e = b.run.exchanges;
  for (auto n : {1, 3}) e[static_cast<std::size_t>(n)].operation = "PUT /moved";
  for (std::size_t i = 0; i < 4; i++) e[i].attempt = static_cast<int>(i / 2) + 1;
  auto calls = calls_of(b.run);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].attempts, (std::vector<const Exchange*>{&e[1], &e[3]}));
  EXPECT_EQ(calls[0].legs, (std::vector<const Exchange*>{&e[0], &e[2]}));
  EXPECT_EQ(calls[0].operation, "PUT /x");
  EXPECT_TRUE(recovered(calls[0]));
  EXPECT_EQ(gaps(calls[0]).size(), 1u);
  e[2].fired = true;
  EXPECT_EQ(calls_of(b.run)[0].attempts[1], &e[2]);
}

TEST(Calls, an_exchange_of_no_call_is_one_of_its_own) {
  Builder b;
  b.call("a", "GET /x").call("a", "GET /x");
  for (auto& e : b.run.exchanges) e.call = 0;
  EXPECT_EQ(calls_of(b.run).size(), 2u);
}

TEST(Recovered, needs_the_services_own_good_answer_delivered) {
  auto last = [](std::vector<int> told) {
    Builder b;
    b.call("a", "GET /x", told);
    auto calls = calls_of(b.run);
    return recovered(calls[0]);
  };
  EXPECT_TRUE(last({200}));
  EXPECT_TRUE(last({-503, 0, 204}));
  EXPECT_FALSE(last({200, -503}));
  EXPECT_FALSE(last({0}));
  EXPECT_FALSE(last({-503, 404}));

  Builder b;
  b.call("a", "GET /x");
  b.run.exchanges[0].ending = Ending::client_left;
  EXPECT_TRUE(recovered(calls_of(b.run)[0])) << "who asks no more has seen enough of it";
  b.run.exchanges[0].client_status = 0;
  EXPECT_FALSE(recovered(calls_of(b.run)[0])) << "it was not delivered";
}

TEST(Comparisons, two_gRPC_methods_of_one_call_site_are_two_calls) {
  auto build = [](std::string operation) {
    Builder b;
    b.call("a", operation);
    b.run.exchanges[0].method = "POST";
    b.run.exchanges[0].grpc.is = true;
    return b;
  };
  auto reference = build("/k.V/Get"), in_case = build("/k.V/Put");
  EXPECT_EQ(shown(compare(reference.run, in_case.run)),
            (std::vector<std::string>{"- = a:1 f|/k.V/Put|1", "a:1 f|/k.V/Get|1 = -"}));
}

TEST(Recovered, by_any_of_the_copies_that_were_under_way_together) {
  Builder b;
  b.call("a", "/k.V/Get", {200, 0});
  b.run.exchanges[1].ending = Ending::client_left;
  EXPECT_FALSE(recovered(calls_of(b.run)[0])) << "it came after the answer";
  b.run.exchanges[1].begun = b.run.exchanges[0].told - 1;
  EXPECT_EQ(recovery(calls_of(b.run)[0]), &b.run.exchanges[0]);
}

TEST(Gaps, run_from_the_telling_to_the_next_first_byte) {
  Builder b;
  b.call("a", "GET /x", {-503, 0, 200});
  EXPECT_EQ(gaps(calls_of(b.run)[0]), (std::vector<Nanos>{10 * kMillisecond, 10 * kMillisecond}));
  b.run.exchanges[1].begun = b.run.exchanges[0].told - 5;
  EXPECT_EQ(gaps(calls_of(b.run)[0])[0], -5) << "it did not wait to be told";
  b.run.exchanges[0].ending = Ending::open;
  b.run.exchanges[0].told = 0;
  EXPECT_EQ(gaps(calls_of(b.run)[0]).size(), 1u) << "nothing was told";
}

TEST(DoneTo, speaks_the_fault_language_and_counts_all_but_the_last_step) {
  auto done = [](std::vector<int> told) {
    Builder b;
    b.call("a", "GET /x", told);
    return done_to(calls_of(b.run)[0]);
  };
  EXPECT_EQ(done({200}), "pass");
  EXPECT_EQ(done({0, 200}), "lost-response(reset) x 1, then pass");
  EXPECT_EQ(done({-503, -503, -503}), "error(503)");
  EXPECT_EQ(done({0, -503, -503, 200}), "lost-response(reset) x 1, then error(503) x 2, then pass");
  Builder b;
  b.call("a", "GET /x", {-503});
  b.run.exchanges[0].fired = false;
  EXPECT_EQ(done_to(calls_of(b.run)[0]), "pass") << "planned is not fired";
}

TEST(Comparison, aligns_by_site_operation_and_occurrence) {
  Builder reference, in_case;
  reference.call("a", "GET /x").call("b", "PUT /y").call("a", "GET /x").call("c", "DELETE /z");
  in_case.call("a", "GET /x", {-503, 200}).call("a", "GET /x").call("b", "PUT /y").call("d", "POST /fix");
  auto c = compare(reference.run, in_case.run);
  EXPECT_EQ(shown(c), (std::vector<std::string>{"a:1 f|GET /x|1 = a:1 f|GET /x|1", "a:1 f|GET /x|2 = a:1 f|GET /x|2",
                                                "b:1 f|PUT /y|1 = b:1 f|PUT /y|1", "- = d:1 f|POST /fix|1",
                                                "c:1 f|DELETE /z|1 = -"}));
  ASSERT_EQ(c.faulted.size(), 1u);
  EXPECT_EQ(c.faulted[0], &c.case_calls[0]);
}

TEST(Comparison, what_is_asked_for_in_another_order_is_aligned_by_its_target) {
  auto parts = [](const char* order) {
    Builder b;
    for (auto* part = order; *part; part++) {
      b.call("a", "GET /parts/{id}");
      b.run.exchanges.back().target = std::string("/parts/") + *part;
    }
    return b;
  };
  auto aligned = [&](const char* reference, const char* in_case) {
    auto one = parts(reference), other = parts(in_case);
    std::string out;
    for (auto& p : compare(one.run, other.run).pairs)
      for (auto* call : {p.reference, p.in_case}) out += call ? call->first().target.back() : '-';
    return out;
  };
  EXPECT_EQ(aligned("123", "312"), "331122");
  EXPECT_EQ(aligned("123", "234"), "122334") << "ids that are given anew";
  EXPECT_EQ(aligned("12", "121"), "1122-1");
}

TEST(Comparison, aligns_what_a_function_does_on_another_line_after_a_failure) {
  Builder usual, failed;
  usual.call("a.py", "GET /users/4").call("a.py", "PUT /projects/4");
  failed.call("a.py", "GET /users/4", {-429}).call("a.py", "PUT /projects/4").call("a.py", "PUT /other/4");
  for (std::size_t i : {1u, 2u}) failed.run.exchanges[i].tag.site->line = 9;
  auto c = compare(usual.run, failed.run);
  ASSERT_EQ(c.pairs.size(), 3u);
  EXPECT_TRUE(c.pairs[1].reference && c.pairs[1].in_case) << "the same, by the same function";
  EXPECT_FALSE(c.pairs[2].reference);
}

TEST(Comparison, counts_all_attempts_that_met_the_fault_of_calls_side_by_side_too) {
  Builder reference, in_case;
  reference.call("a", "POST /x").call("a", "POST /x").call("b", "GET /x");
  in_case.call("a", "POST /x", {-503}).call("a", "POST /x", {-503, 200}).call("b", "GET /x");
  EXPECT_EQ(faulted_attempts(compare(reference.run, in_case.run)), 3);
}

TEST(Comparison, stays_true_when_it_is_moved) {
  Builder reference, in_case;
  reference.call("a", "GET /x");
  in_case.call("a", "GET /x", {-503, 200});
  auto first = compare(reference.run, in_case.run);
  auto moved = std::move(first);
  EXPECT_EQ(moved.pairs[0].in_case, &moved.case_calls[0]);
  EXPECT_EQ(moved.pairs[0].reference, &moved.reference_calls[0]);
  EXPECT_EQ(moved.faulted[0]->attempts.size(), 2u);
}

TEST(Comparison, a_name_that_templates_cannot_tell_is_aligned_by_site_and_method) {
  Builder reference, in_case;
  reference.call("a", "PUT /qwhfzk").call("a", "PUT /x").call("a", "GET /y");
  in_case.call("a", "PUT /mnvbra").call("a", "PUT /x").call("a", "DELETE /y");
  auto c = compare(reference.run, in_case.run);
  EXPECT_EQ(shown(c),
            (std::vector<std::string>{"a:1 f|PUT /qwhfzk|1 = a:1 f|PUT /mnvbra|1", "a:1 f|PUT /x|1 = a:1 f|PUT /x|1",
                                      "- = a:1 f|DELETE /y|1", "a:1 f|GET /y|1 = -"}));
}

TEST(Comparison, an_additional_call_of_a_known_operation_is_no_ones_partner) {
  Builder reference, in_case;
  reference.call("a", "PUT /x").call("a", "PUT /y");
  in_case.call("a", "PUT /x").call("a", "PUT /x");
  EXPECT_EQ(shown(compare(reference.run, in_case.run)),
            (std::vector<std::string>{"a:1 f|PUT /x|1 = a:1 f|PUT /x|1", "- = a:1 f|PUT /x|2", "a:1 f|PUT /y|1 = -"}));
}

TEST(Comparison, without_call_sites_in_one_run_the_operation_aligns) {
  Builder reference, in_case;
  reference.call("a", "GET /x").call("b", "GET /y");
  in_case.call("", "GET /y").call("", "GET /x");
  EXPECT_EQ(shown(compare(reference.run, in_case.run)),
            (std::vector<std::string>{"b:1 f|GET /y|1 = |GET /y|1", "a:1 f|GET /x|1 = |GET /x|1"}));
}

TEST(Loops, that_go_on_with_another_item_after_a_failure_are_calls_of_their_own) {
  Builder reference, with_fault;
  reference.call("a", "POST /x").call("a", "POST /x");
  with_fault.call("a", "POST /x", {0, 201});
  with_fault.run.exchanges[1].confidence = Confidence::possible;
  auto c = compare(reference.run, with_fault.run);
  ASSERT_EQ(c.case_calls.size(), 2u);
  EXPECT_EQ(c.faulted.size(), 1u);
  EXPECT_EQ(c.case_calls[1].occurrence, 2);
}

TEST(Loops, are_not_seen_where_more_was_sent_than_without_the_fault) {
  Builder reference, with_fault;
  reference.call("a", "POST /x");
  with_fault.call("a", "POST /x", {0, 201});
  with_fault.run.exchanges[1].confidence = Confidence::possible;
  EXPECT_EQ(compare(reference.run, with_fault.run).case_calls.size(), 1u);
}

}  // namespace
}  // namespace retrial::trace

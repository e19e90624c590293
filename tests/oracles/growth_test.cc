// What a case shows in which one thing grows.
#include <gtest/gtest.h>

#include "oracles/oracle.h"
#include "tests/oracles/runs.h"
#include "trace/comparing/growth.h"

namespace retrial::oracles {
namespace {

// A case of `stress`: each of its runs asks once, and then as often as is said, and works for so long.
struct Growing {
  Trial trial;
  bool begun = false;

  Growing(std::string what, std::string plan) : trial("stress " + what, std::move(plan)) {
    trial.reference.call("load", "GET", "/things").answers(200);
    trial.reference.run().cpu = 300 * kMillisecond;
  }
  Tale& next(Nanos cpu) {
    auto& tale = std::exchange(begun, true) ? trial.one_more() : trial.in_case();
    tale.run().cpu = cpu;
    return tale;
  }
  Tale& grown(std::int64_t times, Nanos cpu, std::vector<const char*> calls = {"/things"}) {
    auto& tale = next(cpu);
    for (auto* path : calls) {
      tale.call("load", "GET", path).answers(200);
      told(tale.last(), "grow", times);
    }
    return tale;
  }
  void paged(int pages, trace::Stop stop = trace::Stop::exited, std::string answer = R"({"items":[1]})") {
    auto& tale = next(300 * kMillisecond);
    for (int i = 0; i < pages; i++) {
      tale.call("load", "GET", "/things").answers(200, answer);
      told(tale.last(), "another-page", 0);
    }
    tale.stops(stop);
  }
  void failing(int errors, int requests_of_one) {
    auto& tale = next(300 * kMillisecond);
    tale.call("load", "GET", "/things").gets_error();
    for (int i = 1; i < errors; i++) tale.again(kMillisecond).gets_error();
    for (int i = 0; i < errors * requests_of_one - errors; i++) tale.call("other", "GET", "/others").answers(200);
  }
  void lengthened(std::int64_t mebibytes, std::uint64_t kept) {
    auto& tale = next(300 * kMillisecond);
    tale.run().memory = (20 + kept) << 20;
    tale.call("load", "GET", "/things").answers(200, std::string(1024, 'x'));
    told(tale.last(), "lengthen", mebibytes << 10);
  }
  void waited(const char* fault, Nanos time, std::int64_t bytes) {
    auto& tale = next(300 * kMillisecond);
    tale.call("load", "GET", "/things");
    told(tale.last(), fault, 0);
    tale.last().fault.bytes = bytes;
    tale.last().fault.delay = kSecond;
    tale.client_leaves(time);
  }
  void silent_twice(Nanos each) {
    auto& tale = next(300 * kMillisecond);
    tale.call("load", "GET", "/things");
    told(tale.last(), "stall", 0);
    tale.client_leaves(each).again(0);
    told(tale.last(), "stall", 0);
    tale.client_leaves(each);
  }
  static void told(trace::Exchange& e, std::string_view fault, std::int64_t by) {
    e.fault = {.name = trace::fault_row(fault)->fault, .by = by};
    e.fired = true;
  }
  std::vector<trace::Finding> judge() { return compare_sizes(trial.compared()).findings; }
  std::string verdict() {
    auto all = judge();
    return all.empty() ? "none" : all.front().verdict + " " + std::string(show(all.front().confidence));
  }
};

TEST(Growth, of_work_with_the_square_of_what_was_answered_is_told_with_its_sizes) {
  Growing g("lists", "grow(2048)");
  g.grown(2048, 6700 * kMillisecond);
  g.grown(1024, 1900 * kMillisecond);
  g.grown(512, 700 * kMillisecond);
  g.grown(256, 400 * kMillisecond);  // a third more than without
  auto found = g.judge();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].verdict, "quadratic");
  EXPECT_EQ(
      found[0].message,
      "GET /things: with 256, 512, 1024, 2048 times the entries the client worked 0.10, 0.40, 1.60, 6.40 s longer, "
      "which grows with the power 2.0 of it.");
}
TEST(Growth, of_what_two_lists_bring_together_is_possible_only) {
  Growing g("lists together", "grow(2048)");
  for (int i = 0; i < 4; i++) g.grown(2048 >> i, (300 + (6400 >> (2 * i))) * kMillisecond, {"/things", "/others"});
  auto found = g.judge();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].confidence, trace::Confidence::possible);
  EXPECT_TRUE(found[0].message.starts_with("all lists that the test is answered: with 256, 512, 1024, 2048 times"))
      << found[0].message;
}
TEST(Growth, of_a_run_that_was_ended_is_as_much_at_least) {
  Growing g("lists", "grow(1024)");
  for (int i = 0; i < 3; i++) g.grown(256 << i, (300 + (100 << (2 * i))) * kMillisecond);
  g.grown(2048, 5300 * kMillisecond).stops(trace::Stop::deadline);
  auto found = g.judge();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(
      found[0].message.starts_with("GET /things: with 256, 512, 1024, 2048 times the entries the client worked "
                                   "0.10, 0.40, 1.60, 5.00 s longer and more, for there it was ended"))
      << found[0].message;
  Growing far("lists", "grow(1024)");
  for (int i = 0; i < 3; i++) far.grown(256 << i, (300 + (100 << (2 * i))) * kMillisecond);
  far.grown(65536, 3300 * kMillisecond).stops(trace::Stop::deadline);
  EXPECT_EQ(far.verdict(), "none") << "it says too little";
}
TEST(Growth, in_proportion_is_right_and_so_is_what_does_not_stand_out) {
  Growing in_proportion("lists", "grow(2048)");
  for (int i = 0; i < 4; i++) in_proportion.grown(256 << i, (300 + (100 << i)) * kMillisecond);
  EXPECT_EQ(in_proportion.verdict(), "none");
  Growing small("lists", "grow(2048)");
  for (int i = 0; i < 4; i++) small.grown(256 << i, (300 + (1 << (2 * i)) / 2) * kMillisecond);
  EXPECT_EQ(small.verdict(), "none") << "32 ms more of 300 are noise";
}
TEST(Growth, is_not_told_of_fewer_than_four_sizes) {
  Growing g("lists", "grow(1024)");
  for (int i = 0; i < 3; i++) g.grown(256 << i, (300 + (100 << (2 * i))) * kMillisecond);
  EXPECT_EQ(g.verdict(), "none");
}
TEST(Growth, goes_by_the_least_disturbed_run_of_a_size) {
  Growing g("lists", "grow(2048)");
  for (int i = 0; i < 4; i++) g.grown(256 << i, (300 + (100 << i)) * kMillisecond);
  g.grown(2048, 30 * kSecond);
  EXPECT_EQ(g.verdict(), "none");
}
TEST(Growth, of_pages_that_name_themselves_has_no_end_where_a_thousand_were_asked_for) {
  Growing endless("pages", "another-page");
  endless.paged(1001, trace::Stop::capped);
  EXPECT_EQ(endless.verdict(), "unbounded-paging likely");
  Growing much("pages", "another-page");
  much.paged(1001);
  EXPECT_EQ(much.verdict(), "unbounded-paging possible") << "it ended by itself";
  Growing beyond("pages", "another-page");
  beyond.paged(1001, trace::Stop::capped, R"({"items":[]})");
  EXPECT_EQ(beyond.verdict(), "unbounded-paging possible") << "by itself the service answers an empty page";
  Growing bounded("pages", "another-page");
  bounded.paged(100);
  EXPECT_EQ(bounded.verdict(), "none");
}
TEST(Growth, of_requests_by_several_for_each_error_is_a_storm) {
  Growing storm("errors", "error(transient) x 16, then pass");
  for (int errors : {16, 8, 4, 2}) storm.failing(errors, 5);
  EXPECT_EQ(storm.verdict(), "retry-storm possible");
  Growing right("errors", "error(transient) x 16, then pass");
  for (int errors : {16, 8, 4, 2}) right.failing(errors, 2);
  EXPECT_EQ(right.verdict(), "none");
}
TEST(Growth, of_memory_with_each_byte_of_a_body_is_told_and_a_limit_is_not) {
  Growing whole("bytes", "lengthen(65536)");
  for (int i : {64, 32, 16, 8}) whole.lengthened(i, static_cast<std::uint64_t>(i));
  auto found = whole.judge();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].message,
            "GET /things: of bodies of 8, 16, 32, 64 MiB the client took 28.0, 36.0, 52.0, 84.0 MiB of memory.");
  Growing limited("bytes", "lengthen(65536)");
  for (int i : {64, 32, 16, 8}) limited.lengthened(i, 4);
  EXPECT_EQ(limited.verdict(), "none");
}
TEST(Growth, of_a_call_beyond_its_own_time_outs_is_told) {
  Growing slow("drip", "drip(2, 1000ms)");
  slow.silent_twice(5 * kSecond);
  for (int i : {16, 8, 4, 2}) slow.waited("drip", i * 10 * kSecond, 32 / i);
  auto found = slow.judge();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].message,
            "GET /things: silence ended the call after 10.0 s; an answer that dripped held it for 20.0, 40.0, 80.0, "
            "160.0 s.");
  Growing once("drip", "drip(2, 1000ms)");
  once.waited("stall", 10 * kSecond, 0);
  for (int i : {16, 8, 4, 2}) once.waited("drip", i * 10 * kSecond, 32 / i);
  EXPECT_EQ(once.verdict(), "none");
  auto notes = compare_sizes(once.trial.compared()).notes;
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].verdict, "no-deadline");
  Growing deadline("drip", "drip(2, 1000ms)");
  deadline.waited("stall", 10 * kSecond, 0);
  for (int i : {16, 8, 4, 2}) deadline.waited("drip", 12 * kSecond, 32 / i);
  EXPECT_EQ(deadline.verdict(), "none");
}
TEST(Growth, is_judged_where_it_is_asked_for_alone) {
  Growing endless("pages", "another-page");
  endless.paged(1001, trace::Stop::capped);
  for (auto& f : endless.trial.judge().findings) EXPECT_NE(f.verdict, "unbounded-paging");
}

TEST(Load, of_a_run_is_what_its_one_kind_of_fault_made_grow) {
  Growing g("lists", "grow(4)");
  g.grown(4, kSecond);
  auto run = g.trial.in_case().done();
  auto load = trace::load_of(run);
  ASSERT_TRUE(load);
  EXPECT_EQ(load->of, trace::Load::Of::entries);
  EXPECT_EQ(load->size, 4);
  EXPECT_EQ(load->requests, 1u);
  EXPECT_EQ(load->cpu, kSecond);
  auto& more = run.exchanges.emplace_back(run.exchanges.front());
  more.fault = {.name = trace::fault_row("error")->fault};
  EXPECT_FALSE(trace::load_of(run)) << "two kinds";
  run.exchanges.clear();
  EXPECT_FALSE(trace::load_of(run)) << "no fault has fired";
}
TEST(Load, of_several_calls_has_waited_for_the_longest) {
  Growing g("drip", "drip(2, 1000ms)");
  auto& tale = g.next(0);
  for (auto time : {5 * kSecond, 7 * kSecond, 6 * kSecond}) {
    tale.call("load", "GET", "/things");
    Growing::told(tale.last(), "stall", 0);
    tale.client_leaves(time);
  }
  auto run = tale.done();
  EXPECT_EQ(trace::load_of(run)->waited / kSecond, 7);
}
TEST(PowerLaw, is_fitted_over_the_logarithms) {
  auto law = trace::fit(std::vector<trace::Measured>{{1, 3}, {2, 12}, {4, 48}});
  EXPECT_NEAR(law.exponent, 2, 1e-9);
  EXPECT_NEAR(law.agreement, 1, 1e-9);
  EXPECT_LT(trace::fit(std::vector<trace::Measured>{{1, 3}, {2, 50}, {4, 3}}).agreement, 0.5);
}

}  // namespace
}  // namespace retrial::oracles

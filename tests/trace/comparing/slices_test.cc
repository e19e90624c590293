#include "trace/comparing/slices.h"

#include <gtest/gtest.h>

#include "trace/comparing/jumps.h"
#include "trace/fault_name.h"

namespace retrial::trace {
namespace {

Exchange asked(std::uint64_t id, const char* test, Phase phase = Phase::test) {
  Exchange e;
  e.id = e.call = id;
  e.tag.test = test;
  e.tag.phase = phase;
  e.begun = static_cast<Nanos>(id) * kSecond;
  e.told = e.begun + kMillisecond;
  return e;
}

class Slices : public testing::Test {
 protected:
  void begins(const char* test) { run_.stages.push_back({test, Phase::test, 1, true}); }
  void ends(const char* test, const char* outcome = "passed", double ms = 5) {
    run_.stages.push_back({test, Phase::test, 1, false});
    run_.results.push_back({test, Phase::test, outcome, ms, {}});
  }
  trace::Run run_{.id = 7, .ended = 100 * kSecond};
};

TEST_F(Slices, hold_what_each_test_sent_and_how_it_ended) {
  begins("a");
  ends("a", "failed");
  begins("b");
  ends("b");
  run_.exchanges = {asked(1, "a"), asked(2, "b"), asked(3, "b", Phase::teardown)};
  auto slices = slices_of(run_);
  ASSERT_EQ(slices.size(), 2u);
  EXPECT_EQ(slices["a"].id, 7u);
  EXPECT_EQ(slices["a"].exchanges.size(), 1u);
  EXPECT_EQ(slices["b"].exchanges.size(), 2u);
  EXPECT_EQ(slices["a"].results.size(), 1u);
  EXPECT_EQ(slices["a"].exit_code, 1);
  EXPECT_EQ(slices["b"].exit_code, 0);
  EXPECT_EQ(time_of(slices["b"]), 5 * kMillisecond);
}

TEST_F(Slices, have_the_clocks_jumps_of_their_own_time_and_all_before_as_one) {
  for (auto* test : {"a", "b"}) {
    begins(test);
    ends(test);
  }
  run_.exchanges = {asked(1, "a"), asked(10, "b"), asked(20, "b"), asked(30, "a")};
  for (int at = 0; at < 40; at++) run_.jumps.push_back({at * kSecond + kMillisecond / 2, 100 * kMillisecond});
  auto slice = slices_of(run_)["b"];
  EXPECT_EQ(slice.jumps.size(), 12u);
  EXPECT_EQ(jumped(slice), 21 * 100 * kMillisecond) << "so far its clock is ahead when it ends";
  run_.results = {{"b", Phase::test, "passed", 14'200}};
  EXPECT_EQ(slices_of(run_)["b"].jumps.size(), 16u) << "and until it may have ended";
  run_.exchanges.push_back(asked(22, "a"));
  EXPECT_EQ(slices_of(run_)["b"].jumps.size(), 13u) << "or another test sends something";
  for (auto from : {9, 10, 15})
    EXPECT_EQ(waited(slice, from * kSecond, 18 * kSecond), waited(run_, std::max(from, 10) * kSecond, 18 * kSecond))
        << from;
}

TEST_F(Slices, leave_out_what_fixtures_of_several_tests_sent_and_what_is_no_tests) {
  begins("a");
  ends("a");
  run_.exchanges = {asked(1, "fixture", Phase::shared), asked(2, ""), asked(3, "a")};
  auto slices = slices_of(run_);
  ASSERT_EQ(slices.size(), 1u);
  EXPECT_EQ(slices["a"].exchanges.size(), 1u);
}

TEST_F(Slices, end_as_the_run_does_only_for_the_test_that_was_under_way) {
  begins("a");
  ends("a");
  begins("b");
  run_.stop = Stop::signalled;
  run_.exit_code = 11;
  run_.exchanges = {asked(1, "a"), asked(2, "b")};
  auto slices = slices_of(run_);
  EXPECT_EQ(slices["a"].stop, Stop::exited);
  EXPECT_EQ(slices["b"].stop, Stop::signalled);
  EXPECT_EQ(slices["b"].exit_code, 11);
  EXPECT_FALSE(slices.contains("c"));
}

TEST_F(Slices, end_where_a_held_exchange_was_given_up) {
  begins("a");
  ends("a", "failed");
  auto held = asked(1, "a");
  held.fault = trace::FaultSpec{.name = trace::FaultName::lost_response, .telling = Telling::stall};
  held.fired = true;
  held.fired_at = held.begun;
  held.told = held.begun + 30 * kSecond;
  held.ending = Ending::reset;
  held.aborted = Exchange::Aborted::by_us;
  run_.exchanges = {held, asked(50, "a")};
  auto slice = slices_of(run_)["a"];
  end_where_given_up(slice);
  EXPECT_EQ(slice.stop, Stop::held);
  EXPECT_EQ(slice.ended, held.told);
  ASSERT_EQ(slice.exchanges.size(), 1u);
  EXPECT_EQ(slice.exchanges[0].ending, Ending::open);
  EXPECT_TRUE(slice.results.empty());
  auto other = slices_of({.exchanges = {asked(1, "a")}})["a"];
  end_where_given_up(other);
  EXPECT_EQ(other.stop, Stop::exited);
}

TEST_F(Slices, of_two_tests_what_stands_still_behind_the_first_is_not_its_own) {
  begins("a");
  ends("a", "failed");
  run_.exchanges = {asked(1, "a")};
  run_.jumps = {{2 * kSecond, 600 * kSecond}};
  run_.stop = Stop::hung;
  CaseRecord row{.test = "a", .followed_by = "a [again 2]"};
  auto slice = slice_with_next(run_, row);
  EXPECT_EQ(slice.stop, Stop::exited);
  EXPECT_EQ(slice.exit_code, 1);
  ASSERT_TRUE(slice.followed_by);
  EXPECT_EQ(slice.followed_by->tests, std::vector<std::string>{"a"});
  EXPECT_TRUE(slice.followed_by->results.empty());
  EXPECT_EQ(slice.followed_by->jumps.size(), 1u);
  begins("a");
  EXPECT_EQ(slice_with_next(run_, row).stop, Stop::hung) << "it was not over";
}

}  // namespace
}  // namespace retrial::trace

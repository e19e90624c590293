#include "campaign/planning/company.h"

#include <gtest/gtest.h>

#include <deque>

#include "trace/comparing/slices.h"

namespace retrial::campaign {
namespace {

const auto kDown = *policies::parse_fault_plan("error(503)");
const auto kDownThenUp = *policies::parse_fault_plan("error(503) x 1, then pass");

class Companies : public testing::Test {
 protected:
  // Tests that take so many seconds, in the suite's order.
  void tests(std::initializer_list<std::pair<const char*, int>> all) {
    for (auto& [test, seconds] : all) {
      auto& slice = refs_.slices.emplace_back();
      slice.results.push_back({test, trace::Phase::test, "passed", seconds * 1000.0, {}});
      refs_.tests[test] = &slice;
      refs_.place.emplace(test, refs_.place.size());
    }
  }
  Case* can(const char* operation, std::initializer_list<const char*> tests, const policies::FaultPlan& plan = kDown) {
    auto& c = cases_.emplace_back();
    c.row = {.id = "c" + std::to_string(cases_.size()), .operation = operation, .outcome = "planned"};
    c.faults = plan;
    for (auto* test : tests) c.places.push_back({.test = test, .takes = trace::time_of(*refs_.tests.at(test))});
    c.put(0);
    return &c;
  }
  // "a: c1 c2; b: c3"
  std::string seated(const std::vector<Case*>& cases, Nanos time = kNoLimit) { return show(seat(cases, refs_, time)); }
  static std::string show(const Company& company) {
    std::string out;
    for (auto& seat : company.seats) {
      out += (out.empty() ? "" : "; ") + seat.name() + ":";
      for (auto* c : seat.cases) out += " " + c->row.id;
    }
    return out;
  }
  References refs_;
  std::deque<Case> cases_;
};

TEST_F(Companies, give_each_test_one_case_in_the_suites_order) {
  tests({{"b", 1}, {"a", 1}});
  EXPECT_EQ(seated({can("GET /1", {"a"}), can("GET /2", {"b"}), can("GET /3", {"a"})}), "b: c2; a: c1");
}

TEST_F(Companies, have_several_in_one_test_where_its_client_gets_over_each) {
  tests({{"a", 1}});
  EXPECT_EQ(seated({can("GET /1", {"a"}, kDownThenUp), can("GET /2", {"a"}, kDownThenUp), can("GET /3", {"a"})}),
            "a: c1 c2");
  auto* alike = can("GET /1", {"a"}, kDownThenUp);
  EXPECT_EQ(seated({can("GET /1", {"a"}, kDownThenUp), alike}), "a: c5") << "the same call";
  auto* single = can("GET /9", {"a"}, kDownThenUp);
  single->single = true;
  EXPECT_EQ(seated({can("GET /1", {"a"}, kDownThenUp), single}), "a: c7");
}

TEST_F(Companies, take_another_place_where_that_costs_less_than_another_run) {
  tests({{"a", 1}, {"b", 2}, {"c", 9}});
  refs_.start = 3 * kSecond;
  auto* moved = can("GET /2", {"a", "b"});
  EXPECT_EQ(seated({can("GET /1", {"a"}), moved, can("GET /3", {"a", "c"})}), "a: c2; b: c1");
  EXPECT_EQ(moved->row.test, "b");
  EXPECT_EQ(moved->aim().target->test, "b");
}

const auto kLost = *policies::parse_fault_plan("lost-response(reset)");

TEST_F(Companies, execute_a_test_again_where_that_costs_less_than_another_run) {
  tests({{"a", 1}, {"b", 4}});
  refs_.start = 3 * kSecond;
  auto cases = std::vector{can("PUT /1", {"a"}, kLost), can("PUT /2", {"a"}, kLost), can("PUT /3", {"b"}, kLost),
                           can("PUT /4", {"b"}, kLost)};
  EXPECT_EQ(seated(cases), "a: c1; b: c3") << "this runner cannot";
  refs_.executes_again = true;
  EXPECT_EQ(seated(cases), "a: c1; a [again 2]: c2; b: c3") << "b takes longer than a start";
  EXPECT_EQ(show(seat(cases, refs_, kNoLimit, {"a"})), "a: c1; b: c3") << "a does otherwise the second time";
  EXPECT_EQ(seated(cases, 4 * kSecond), "a: c1") << "there is time for one test";
}

TEST_F(Companies, aim_at_each_execution_by_its_name) {
  tests({{"a", 1}});
  refs_.start = 3 * kSecond;
  refs_.executes_again = true;
  auto company = seat(std::vector{can("PUT /1", {"a"}, kLost), can("PUT /2", {"a"}, kLost)}, refs_, kNoLimit);
  EXPECT_EQ(company.tests(), (std::vector<std::string>{"a", "a [again 2]"}));
  EXPECT_EQ(company.aims()[1].target->test, "a [again 2]");
  EXPECT_EQ(company.expected, 5 * kSecond);
}

// What a write that was never done leaves as it was, an earlier execution may have done: its test would not see the
// loss.
TEST_F(Companies, leave_what_is_never_done_to_the_first_execution) {
  tests({{"a", 1}});
  refs_.start = 3 * kSecond;
  refs_.executes_again = true;
  EXPECT_EQ(seated({can("PUT /1", {"a"}, kLost), can("PUT /2", {"a"}), can("PUT /3", {"a"})}),
            "a: c2; a [again 2]: c1");
  auto* read = can("GET /4", {"a"});
  read->repeat = trace::Repeat::safe;
  EXPECT_EQ(seated({can("PUT /1", {"a"}), read}), "a: c5; a [again 2]: c4") << "a read leaves nothing undone";
  auto* single = can("PUT /9", {"a"}, kLost);
  single->single = true;
  EXPECT_EQ(seated({can("PUT /1", {"a"}, kLost), single}), "a: c7");
}

TEST_F(Companies, try_what_has_shown_too_little_twice_in_one_run) {
  tests({{"a", 1}});
  refs_.start = 3 * kSecond;
  refs_.executes_again = true;
  auto* thin = can("GET /1", {"a"}, kLost);
  thin->seen.push_back(std::make_shared<trace::Run>());
  EXPECT_EQ(seated({thin, can("GET /2", {"a"}, kLost)}), "a: c1; a [again 2]: c1; a [again 3]: c2");
  refs_.start = kSecond;
  EXPECT_EQ(parts(seat(std::vector{thin}, refs_, kNoLimit), 2, 2, refs_).size(), 1u);
  auto* never_done = can("PUT /1", {"a"});
  never_done->seen.push_back(std::make_shared<trace::Run>());
  EXPECT_EQ(seated({never_done}), "a: c3");
}

TEST_F(Companies, leave_a_case_where_it_has_seen_something) {
  tests({{"a", 1}, {"b", 2}});
  refs_.start = 3 * kSecond;
  auto* thin = can("GET /2", {"a", "b"});
  thin->seen.push_back(std::make_shared<trace::Run>());
  EXPECT_EQ(seated({can("GET /1", {"a"}), thin}), "a: c2");
  EXPECT_EQ(thin->seen.size(), 1u);
  thin->put(1);
  EXPECT_TRUE(thin->seen.empty());
}

TEST_F(Companies, take_no_longer_than_there_is_time_for) {
  tests({{"a", 5}, {"b", 2}});
  refs_.start = kSecond;
  EXPECT_EQ(seated({can("GET /1", {"a"}), can("GET /2", {"b"})}, 4 * kSecond), "b: c2");
  EXPECT_EQ(seated({can("GET /1", {"a"})}, 4 * kSecond), "");
}

TEST_F(Companies, leave_out_who_is_to_be_tried_alone) {
  tests({{"a", 1}});
  auto* c = can("GET /1", {"a"});
  c->alone = true;
  EXPECT_EQ(seated({c}), "");
}

TEST_F(Companies, are_parted_among_workers_where_that_takes_less_than_another_start) {
  tests({{"a", 2}, {"b", 1}, {"c", 1}, {"d", 4}});
  refs_.start = 3 * kSecond;
  auto company = [&] {
    return seat(std::vector{can("GET /1", {"a"}), can("GET /2", {"b"}), can("GET /3", {"c"}), can("GET /4", {"d"})},
                refs_, kNoLimit);
  };
  auto two = parts(company(), 2, 2, refs_);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(show(two[0]), "a: c1; b: c2; c: c3");
  EXPECT_EQ(show(two[1]), "d: c4");
  EXPECT_EQ(two[0].expected, 7 * kSecond);
  EXPECT_EQ(two[1].expected, 7 * kSecond);
  EXPECT_EQ(parts(company(), 1, 2, refs_).size(), 1u);
  EXPECT_EQ(parts(company(), 3, 3, refs_).size(), 2u) << "a third of the tests takes less than a start";
  refs_.start = 2 * kSecond;
  EXPECT_EQ(parts(company(), 4, 4, refs_).size(), 3u) << "no test is parted, and the last takes as long as a third";
  EXPECT_EQ(parts(company(), 4, 1, refs_).size(), 2u) << "four starts on one core take longer than what they part";
}

TEST_F(Companies, are_halved_with_the_disturbed_test_behind_each) {
  tests({{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}});
  auto company = seat(std::vector{can("GET /1", {"a"}), can("GET /2", {"b"}), can("GET /3", {"c"})}, refs_, kNoLimit);
  auto both = halves(company, "d", refs_);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(show(both[0]), "a: c1; d:");
  EXPECT_EQ(show(both[1]), "b: c2; c: c3; d:");
  EXPECT_EQ(both[1].aims().size(), 2u);
  EXPECT_EQ(both[1].tests(), (std::vector<std::string>{"b", "c", "d"}));
  auto alone = by_itself("d", refs_);
  EXPECT_EQ(show(alone), "d:");
  EXPECT_TRUE(alone.aims().empty());
  for (auto& one : {alone, both[0], both[1]}) EXPECT_TRUE(looks_for_who_disturbs(one, "d"));
  EXPECT_FALSE(looks_for_who_disturbs(both[0], "a"));
  EXPECT_FALSE(looks_for_who_disturbs(company, "c"));
}

TEST_F(Companies, are_expected_to_take_their_tests_and_starts_and_what_is_tried_alone_over_all_workers) {
  tests({{"a", 4}});
  refs_.start = 2 * kSecond;
  std::vector<Case*> cases{can("GET /1", {"a"}), can("GET /2", {"a"}), can("GET /3", {"a"}, kDownThenUp),
                           can("GET /4", {"a"}, kDownThenUp), can("GET /4", {"a"}, kDownThenUp)};
  // Those that end their test need a run each; of the others two are together, and one call's come one after another.
  Pace pace{.suspicious = 0.2};
  auto one = expected_of(cases, refs_, pace);
  EXPECT_EQ(one.company, 2 * 4u) << "each in two parts";
  EXPECT_EQ(one.alone, 3u) << "one of five, three runs each";
  EXPECT_EQ(one.time, 4 * (4 + 2 * 2) * kSecond + 3 * 6 * kSecond);
  pace.workers = 4;
  EXPECT_EQ(expected_of(cases, refs_, pace).time, (4 + 2 * 2) * kSecond + 3 * 6 * kSecond);
  pace.trials = 4;
  EXPECT_EQ(expected_of(cases, refs_, pace).time, 4 * (one.time / (2 * 4 + 3)))
      << "a confirmation goes run by run, however many workers there are";
}

TEST(Suspicions, are_expected_as_often_as_they_have_been_seen) {
  EXPECT_DOUBLE_EQ(suspicious_by_now(0, 0), 1.0 / 16);
  EXPECT_DOUBLE_EQ(suspicious_by_now(0, 64), 1.0 / 32);
  EXPECT_NEAR(suspicious_by_now(5'000, 10'000), 0.5, 0.01);
}

TEST_F(Companies, are_expected_to_use_other_tests_and_to_start_their_own_process_alone) {
  tests({{"a", 1}, {"b", 1}});
  refs_.start = 4 * kSecond;
  refs_.process = {{"a", 0}, {"b", 1}};
  refs_.processes = 2;
  std::vector<Case*> cases{can("GET /1", {"a", "b"}), can("GET /2", {"a", "b"})};
  auto expected = expected_of(cases, refs_, {.suspicious = 0.2});
  EXPECT_EQ(expected.company, 2u);
  EXPECT_EQ(expected.alone, 2u);
  EXPECT_EQ(expected.time, 2 * (1 + 2 * 2) * kSecond + 2 * 3 * (2 + 1) * kSecond / 5);
}

}  // namespace
}  // namespace retrial::campaign

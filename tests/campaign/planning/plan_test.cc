#include "campaign/planning/plan.h"

#include <gtest/gtest.h>

namespace retrial::campaign {
namespace {

trace::Exchange exchange(std::uint64_t id, const char* test, const char* method, const char* operation,
                         const char* file, int status = 200) {
  trace::Exchange e;
  e.id = e.call = id;
  e.attempt = 1;
  e.confidence = trace::Confidence::certain;
  e.method = method;
  e.service = "127.0.0.1:8000";
  e.operation = std::string(method) + " " + operation;
  e.target = operation;
  e.profile = "generic";
  e.tag = {trace::CallSite{file, 10, "f"}, "1-1", test, trace::Phase::test};
  e.service_status = e.client_status = status;
  e.ending = trace::Ending::answered;
  e.begun = static_cast<Nanos>(id) * kMillisecond;
  e.told = e.begun + kMillisecond;
  return e;
}

class Planning : public testing::Test {
 protected:
  void alone(const char* test, Nanos took, std::vector<trace::Exchange> exchanges) {
    auto& run = runs_.emplace_back();
    run.ended = took;
    run.exchanges = std::move(exchanges);
    by_test_[test] = &run;
  }
  Plan plan(std::vector<const policies::Policy*> policies = {policies::policy_named("P3")}) {
    return make_plan(by_test_, policies, config_);
  }
  std::deque<trace::Run> runs_;
  std::map<std::string, const trace::Run*> by_test_;
  Config config_;
};

TEST_F(Planning, each_call_site_and_operation_is_tried_once_in_the_cheapest_test_that_reaches_it) {
  alone("slow", 9 * kSecond, {exchange(1, "slow", "GET", "/a", "app.py"), exchange(2, "slow", "GET", "/b", "app.py")});
  alone("fast", 1 * kSecond, {exchange(1, "fast", "GET", "/a", "app.py")});
  auto p = plan();
  ASSERT_EQ(p.cases.size(), 2u);
  EXPECT_EQ(p.cases[0].row.operation, "GET /a");
  EXPECT_EQ(p.cases[0].row.test, "fast");
  ASSERT_EQ(p.cases[0].places.size(), 2u);
  EXPECT_EQ(p.cases[0].places[1].test, "slow");
  EXPECT_EQ(p.cases[1].row.test, "slow");
}

TEST_F(Planning, a_test_whose_answer_names_what_it_did_goes_before_a_cheaper_one) {
  alone("empty", 1 * kSecond, {exchange(1, "empty", "POST", "/a", "app.py")});
  auto made = exchange(1, "made", "POST", "/a", "app.py", 201);
  made.response_headers = {{"Location", "/a/17"}};
  alone("made", 5 * kSecond, {made});
  EXPECT_EQ(plan().cases[0].row.test, "made");
}

TEST_F(Planning, a_call_that_was_answered_with_an_error_is_no_target) {
  alone("t", kSecond, {exchange(1, "t", "GET", "/a", "app.py", 404)});
  EXPECT_EQ(plan().targets, 0u);
}

TEST_F(Planning, a_call_is_counted_among_all_of_its_site_also_those_that_are_no_targets) {
  alone("t", kSecond, {exchange(1, "t", "GET", "/a", "app.py", 404), exchange(2, "t", "GET", "/a", "app.py")});
  ASSERT_EQ(plan().cases.size(), 1u);
  EXPECT_EQ(plan().cases[0].row.occurrence, 2);
}

TEST_F(Planning, calls_in_set_up_and_teardown_and_from_test_files_are_left_alone) {
  auto setup = exchange(1, "t", "PUT", "/a", "app.py");
  setup.tag.phase = trace::Phase::setup;
  auto teardown = exchange(2, "t", "DELETE", "/a", "app.py");
  teardown.tag.phase = trace::Phase::teardown;
  alone("t", kSecond,
        {setup, teardown, exchange(3, "t", "GET", "/a", "tests/test_a.py"), exchange(4, "t", "GET", "/b", "app.py")});
  auto p = plan();
  ASSERT_EQ(p.cases.size(), 1u);
  EXPECT_EQ(p.cases[0].row.operation, "GET /b");
}

TEST_F(Planning, a_suite_without_application_call_sites_is_tried_at_its_own_and_says_so) {
  alone("t", kSecond, {exchange(1, "t", "GET", "/a", "test_a.py")});
  auto p = plan();
  EXPECT_EQ(p.cases.size(), 1u);
  EXPECT_EQ(p.remarks.size(), 1u);
}

TEST_F(Planning, the_stall_is_tried_once_a_call_site_and_the_others_once_an_operation) {
  alone("t", kSecond, {exchange(1, "t", "GET", "/a", "app.py"), exchange(2, "t", "GET", "/b", "app.py")});
  auto p = plan({policies::policy_named("P2")});
  EXPECT_EQ(p.cases.size(), 3u);
  EXPECT_EQ(std::count_if(p.cases.begin(), p.cases.end(), [](auto& c) { return c.stalls; }), 1);
}

TEST_F(Planning, a_case_is_worth_what_its_policy_says_and_where_that_goes_by_effect_what_a_repeat_does) {
  alone("t", kSecond,
        {exchange(1, "t", "DELETE", "/a", "app.py"), exchange(2, "t", "GET", "/b", "app.py"),
         exchange(3, "t", "POST", "/c", "app.py")});
  policies::Policy plain{.name = "plain", .plans = {{{}}}, .value = 3}, weighed = plain;
  weighed.value_by_effect = true;
  std::map<std::string, double> plain_values, weighed_values;
  for (auto& c : plan({&plain}).cases) plain_values[c.row.operation] = c.value;
  for (auto& c : plan({&weighed}).cases) weighed_values[c.row.operation] = c.value;
  EXPECT_EQ(plain_values, (std::map<std::string, double>{{"DELETE /a", 3}, {"GET /b", 3}, {"POST /c", 3}}));
  EXPECT_EQ(weighed_values, (std::map<std::string, double>{{"DELETE /a", 4.5}, {"GET /b", 1.5}, {"POST /c", 6}}));
}

TEST_F(Planning, what_a_case_takes_is_its_tests_time_and_waiting_only_where_clocks_are_not_moved) {
  alone("t", 2 * kSecond, {exchange(1, "t", "GET", "/a", "app.py")});
  EXPECT_EQ(plan().cases[0].expected(), 2 * kSecond);
  config_.run.real_time = true;
  EXPECT_GT(plan().cases[0].expected(), 5 * kSecond);
}

TEST_F(Planning, writes_that_a_case_repeats_are_named) {
  alone("t", kSecond, {exchange(1, "t", "POST", "/a", "app.py"), exchange(2, "t", "GET", "/b", "app.py")});
  EXPECT_EQ(plan({policies::policy_named("P1")}).repeated, std::vector<std::string>{"127.0.0.1:8000 POST /a"});
  EXPECT_TRUE(plan({policies::policy_named("P3")}).repeated.empty());
}

}  // namespace
}  // namespace retrial::campaign

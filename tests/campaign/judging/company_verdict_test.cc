#include "campaign/judging/company_verdict.h"

#include <gtest/gtest.h>

#include "tests/oracles/runs.h"
#include "trace/comparing/slices.h"

namespace retrial::campaign {
namespace {

using oracles::Tale;
using What = Shown::What;

// A test that sends GET /before, then PUT /a and PUT /b, each well.
Tale well(trace::RunKind kind = trace::RunKind::alone) {
  Tale tale(kind);
  tale.call("look", "GET", "/before").answers(200).call("a", "PUT", "/a").answers(200);
  return tale.call("b", "PUT", "/b").answers(200).passes();
}
Tale faulted() { return Tale(trace::RunKind::with_fault); }
Tale before(Tale tale) { return tale.call("look", "GET", "/before").answers(200); }

class InCompany : public testing::Test {
 protected:
  // That test is in the suite, and does as well().
  void test(const char* name) {
    auto& slice = refs_.slices.emplace_back(of(name, well()));
    refs_.tests[name] = &slice;
    refs_.place.emplace(name, refs_.place.size());
  }
  Case& aimed(const char* test, const char* site, const char* plan = "error(503) x 1, then pass", int execution = 1) {
    auto& c = cases_.emplace_back();
    auto operation = std::string("PUT /") + site;
    trace::CallSite at{"src/orders.py", 12, site};
    c.row = {.policy = "K1", .plan = plan, .test = test, .site = at, .operation = operation, .outcome = "planned"};
    c.faults = *policies::parse_fault_plan(plan);
    c.places = {{.test = test, .reference = refs_.tests.at(test)}};
    auto& seats = company_.seats;
    if (seats.empty() || seats.back().test != test || seats.back().execution < execution)
      seats.push_back({test, {}, execution});
    seats.back().cases.push_back(&c);
    return c;
  }
  void control(const char* test) { company_.seats.push_back({test, {}}); }
  // What that test did in the run.
  void did(const char* test, const Tale& tale) {
    auto more = of(test, tale);
    for (auto& e : more.exchanges) {
      e.id += 100 * run_.results.size();
      e.call += 100 * run_.results.size();
      run_.exchanges.push_back(e);
    }
    run_.results.insert(run_.results.end(), more.results.begin(), more.results.end());
  }
  CompanyVerdict verdict() { return judge_company(company_, run_, refs_, 30 * kSecond, own_way_); }
  std::vector<What> shown() {
    std::vector<What> out(cases_.size(), What::not_run);
    for (auto& s : verdict().shown)
      for (std::size_t i = 0; i < cases_.size(); i++)
        if (&cases_[i] == s.c) out[i] = s.what;
    return out;
  }
  static trace::Run of(const char* test, Tale tale) {
    auto run = tale.run();
    for (auto& e : run.exchanges) e.tag.test = test;
    for (auto& r : run.results) r.test = test;
    return run;
  }

  References refs_;
  std::deque<Case> cases_;
  Company company_;
  std::map<std::string, std::string> own_way_;
  trace::Run run_{.id = 9, .kind = trace::RunKind::with_fault};
};

Tale a_recovers() { return before(faulted()).call("a", "PUT", "/a").gets_error().again(kSecond).answers(200); }

TEST_F(InCompany, each_case_is_judged_by_its_own_test) {
  test("one");
  test("two");
  aimed("one", "a");
  aimed("two", "a", "error(503)");
  did("one", a_recovers().call("b", "PUT", "/b").answers(200).passes());
  did("two", before(faulted()).call("a", "PUT", "/a").gets_error().fails({{"TypeError", "'NoneType' object"}}));
  EXPECT_EQ(shown(), (std::vector{What::clean, What::suspicion}));
}

TEST_F(InCompany, several_cases_of_one_test_are_told_apart_where_all_recover) {
  test("one");
  aimed("one", "a");
  aimed("one", "b");
  did("one", a_recovers().call("b", "PUT", "/b").gets_error().again(kSecond).answers(200).passes());
  EXPECT_EQ(shown(), (std::vector{What::clean, What::clean}));
}

TEST_F(InCompany, the_first_that_is_not_got_over_explains_the_rest_of_its_test) {
  test("one");
  aimed("one", "a");
  aimed("one", "b");
  did("one", before(faulted()).call("a", "PUT", "/a").gets_error().fails({{"ServiceDown", "503"}}));
  EXPECT_EQ(shown(), (std::vector{What::clean, What::not_run}));
  EXPECT_EQ(cases_[1].in_vain, 0);
}

TEST_F(InCompany, the_first_that_is_not_got_over_explains_nothing_where_a_later_one_is_not_either) {
  test("one");
  aimed("one", "look").row.operation = "GET /before";
  aimed("one", "a");
  did("one", faulted()
                 .call("look", "GET", "/before")
                 .gets_error()
                 .call("a", "PUT", "/a")
                 .gets_error()
                 .fails({{"ServiceDown", "503"}}));
  EXPECT_EQ(shown(), (std::vector{What::not_run, What::not_run}));
  EXPECT_TRUE(cases_[0].single);
  EXPECT_FALSE(cases_[1].single);
}

TEST_F(InCompany, where_all_are_got_over_and_the_test_fails_each_is_to_be_tried_without_the_other) {
  test("one");
  aimed("one", "a");
  aimed("one", "b");
  did("one", a_recovers().call("b", "PUT", "/b").gets_error().again(kSecond).answers(200).fails({{"E", "1 != 2"}}));
  EXPECT_EQ(shown(), (std::vector{What::not_run, What::not_run}));
  EXPECT_TRUE(cases_[0].single && cases_[1].single);
}

TEST_F(InCompany, each_execution_of_a_test_is_judged_as_the_test) {
  test("one");
  aimed("one", "a", "error(503)");
  auto& second = aimed("one", "a", "error(503) x 1, then pass", 2);
  did("one", before(faulted()).call("a", "PUT", "/a").gets_error().fails({{"TypeError", "'NoneType' object"}}));
  did("one [again 2]", a_recovers().call("b", "PUT", "/b").answers(200).passes());
  EXPECT_EQ(shown(), (std::vector{What::suspicion, What::clean}));
  EXPECT_EQ(second.row.execution, 2);
  EXPECT_TRUE(verdict().once.empty());
}

TEST_F(InCompany, a_test_that_does_otherwise_when_it_is_executed_again_disturbs_nobody) {
  test("one");
  test("two");
  aimed("one", "a");
  aimed("one", "b", "lost-response(reset)", 2);
  aimed("one", "b", "lost-response(reset)", 3);
  aimed("two", "a");
  did("one", a_recovers().call("b", "PUT", "/b").answers(200).passes());
  did("one [again 2]", faulted().call("look", "GET", "/before").answers(404).fails({{"AssertionError", "404"}}));
  did("one [again 3]", before(faulted())
                           .call("a", "PUT", "/a")
                           .answers(200)
                           .call("b", "PUT", "/b")
                           .is_lost(trace::Telling::reset, 200)
                           .fails({{"E", "lost"}}));
  did("two", a_recovers().call("b", "PUT", "/b").answers(200).passes());
  EXPECT_EQ(shown(), (std::vector{What::clean, What::not_run, What::not_run, What::clean}));
  EXPECT_EQ(verdict().once, (std::set<std::string>{"one"}));
  EXPECT_TRUE(verdict().disturbed.empty());
}

TEST_F(InCompany, the_only_execution_of_a_test_in_a_run_is_its_first_whatever_its_name) {
  test("one");
  aimed("one", "b", "lost-response(reset)", 2);
  did("one [again 2]", well(trace::RunKind::with_fault));
  EXPECT_EQ(shown(), (std::vector{What::vain}));
  EXPECT_TRUE(verdict().once.empty());
}

TEST_F(InCompany, a_fault_that_meets_nothing_the_second_time_goes_back_to_the_plan) {
  test("one");
  aimed("one", "a");
  aimed("one", "b", "lost-response(reset)", 2);
  did("one", a_recovers().call("b", "PUT", "/b").answers(200).passes());
  did("one [again 2]", well(trace::RunKind::with_fault));
  EXPECT_EQ(shown(), (std::vector{What::clean, What::not_run}));
  EXPECT_TRUE(verdict().once.contains("one"));
}

TEST_F(InCompany, a_control_that_fails_lets_nothing_stand_but_suspicions) {
  test("one");
  test("two");
  test("three");
  aimed("one", "a");
  aimed("two", "a", "error(503)");
  control("three");
  did("one", a_recovers().call("b", "PUT", "/b").answers(200).passes());
  did("two", before(faulted()).call("a", "PUT", "/a").gets_error().fails({{"TypeError", "'NoneType' object"}}));
  did("three", before(faulted()).fails({{"CircuitOpen", "open"}}));
  EXPECT_EQ(shown(), (std::vector{What::not_run, What::suspicion}));
  EXPECT_EQ(verdict().disturbed, "three");
  EXPECT_EQ(verdict().how, "it was failed, not passed");
  EXPECT_EQ(verdict().before.size(), 2u);
  EXPECT_TRUE(cases_[0].seen.empty());
}

TEST_F(InCompany, who_came_before_a_test_that_was_disturbed_is_told_by_the_run) {
  test("one");
  test("two");
  test("three");
  aimed("one", "a");
  control("two");
  aimed("three", "a");
  for (auto* began : {"three", "two", "one"}) run_.stages.push_back({.test = began, .phase = trace::Phase::test});
  did("one", a_recovers().call("b", "PUT", "/b").answers(200).passes());
  did("two", before(faulted()).fails({{"CircuitOpen", "open"}}));
  did("three", a_recovers().call("b", "PUT", "/b").answers(200).passes());
  EXPECT_EQ(verdict().disturbed, "two");
  ASSERT_EQ(verdict().before.size(), 1u);
  EXPECT_EQ(verdict().before.front().test, "three");
}

TEST_F(InCompany, a_test_that_went_otherwise_before_its_fault_was_disturbed_and_says_nothing) {
  test("one");
  test("two");
  aimed("one", "a");
  aimed("two", "a");
  did("one", a_recovers().call("b", "PUT", "/b").answers(200).passes());
  did("two", faulted().call("a", "PUT", "/a").gets_error().again(kSecond).answers(200).passes());
  EXPECT_EQ(shown(), (std::vector{What::not_run, What::not_run}));
  EXPECT_EQ(verdict().how, "it did not send GET /before at src/orders.py:12 look");
}

TEST_F(InCompany, what_a_test_does_by_itself_where_others_are_left_out_disturbs_it_not) {
  test("one");
  test("two");
  auto logs_in = before(faulted().call("login", "POST", "/token").answers(200));
  control("two");
  did("two", Tale(logs_in).call("a", "PUT", "/a").answers(200).call("b", "PUT", "/b").answers(200).passes());
  auto how = verdict().own_way.at("two");
  EXPECT_EQ(how, "it sent POST /token at src/orders.py:12 login, which it does not else");
  EXPECT_EQ(verdict().disturbed, "");
  company_.seats.clear();
  aimed("one", "a");
  control("two");
  did("one", a_recovers().call("b", "PUT", "/b").answers(200).passes());
  EXPECT_EQ(verdict().disturbed, "two");
  EXPECT_TRUE(verdict().own_way.empty()) << "somebody's fault came before it";
  own_way_["two"] = how;
  EXPECT_EQ(verdict().disturbed, "");
  EXPECT_EQ(shown(), (std::vector{What::clean}));
}

TEST_F(InCompany, nobody_disturbs_the_first_test) {
  test("one");
  aimed("one", "a");
  did("one", before(faulted()).fails({{"E", "by itself"}}));
  EXPECT_EQ(shown(), (std::vector{What::vain}));
  EXPECT_EQ(verdict().disturbed, "");
}

TEST_F(InCompany, tests_behind_a_process_that_died_were_not_run_and_are_not_missing) {
  test("one");
  test("two");
  aimed("one", "a");
  aimed("two", "a");
  auto died = before(faulted()).call("a", "PUT", "/a").gets_error();
  did("one", died);
  run_.stages = {{"one", trace::Phase::test, 1, true}};
  run_.stop = trace::Stop::signalled;
  run_.exit_code = 11;
  EXPECT_EQ(shown()[1], What::not_run);
  EXPECT_TRUE(verdict().missing.empty());
}

TEST_F(InCompany, what_has_ended_stands_though_the_budget_cut_the_run) {
  test("one");
  test("two");
  test("three");
  for (auto* name : {"one", "two", "three"}) aimed(name, "a");
  did("one", a_recovers().call("b", "PUT", "/b").answers(200).passes());
  did("two", before(faulted()).call("a", "PUT", "/a").gets_error());
  run_.stages = {{"two", trace::Phase::test, 1, true}};
  run_.stop = trace::Stop::interrupted;
  EXPECT_EQ(shown(), (std::vector{What::clean, What::not_run, What::not_run}));
  EXPECT_TRUE(verdict().missing.empty());
}

TEST_F(InCompany, a_test_that_the_runner_did_not_reach_is_missing) {
  test("one");
  test("two");
  aimed("one", "a");
  aimed("two", "a");
  did("one", a_recovers().call("b", "PUT", "/b").answers(200).passes());
  EXPECT_EQ(shown(), (std::vector{What::clean, What::not_run}));
  EXPECT_EQ(verdict().missing, std::vector<std::string>{"two"});
}

TEST_F(InCompany, a_run_that_we_could_not_record_says_nothing) {
  test("one");
  aimed("one", "a");
  did("one", a_recovers().call("b", "PUT", "/b").answers(200).passes());
  run_.incomplete = "the disk is full";
  EXPECT_EQ(shown(), (std::vector{What::vain}));
}

TEST(WhatWasRight, says_how_a_call_that_did_not_recover_was_got_over) {
  auto said = [](Tale&& tale) {
    auto reference = well(), in_case = std::move(tale.passes());
    auto comparison = trace::compare(reference.done(), in_case.done());
    return what_was_right(comparison, oracles::kTest);
  };
  auto lost = [] { return std::move(before(faulted()).call("a", "PUT", "/a").is_lost(trace::Telling::reset, 201)); };
  EXPECT_EQ(said(lost()), "1 attempt, none of which went well; the test passed: " + std::string(trace::kNotSeen));
  EXPECT_EQ(said(std::move(lost().again(kSecond).answers(409))),
            "2 attempts, the last of which met what the first had done; the test passed");
  EXPECT_FALSE(said(std::move(lost().again(kSecond).answers(400))).contains("met what the first"));
  EXPECT_EQ(said(std::move(lost().call("a", "PUT", "/a").answers(200))),
            "1 attempt, then asked again, which went well; the test passed");
}

Case& looks(Case& c) {
  c.row.operation = "GET /before";
  return c;
}
Tale look_fails() { return faulted().call("look", "GET", "/before").gets_error().fails({{"ServiceDown", "503"}}); }
Tale fails_by_itself() { return faulted().fails({{"ServiceDown", "503"}}); }

TEST_F(InCompany, a_failure_that_a_later_execution_gets_without_asking_is_suspected_to_be_kept) {
  test("one");
  test("two");
  auto& first = looks(aimed("one", "look", "error(503)"));
  auto& second = aimed("one", "b", "error(503)", 2);
  auto& third = looks(aimed("two", "look", "error(503)"));
  did("one", look_fails());
  did("one [again 2]", fails_by_itself());
  did("two", look_fails());
  auto shown = verdict().shown;
  ASSERT_EQ(shown.size(), 3u);
  EXPECT_EQ(shown[0].what, What::suspicion);
  ASSERT_EQ(shown[0].judgement.findings.size(), 1u);
  EXPECT_EQ(shown[0].judgement.findings[0].verdict, "kept-failure");
  EXPECT_EQ(first.row.followed_by, "one [again 2]");
  EXPECT_EQ(second.row.followed_by, "");
  EXPECT_EQ(third.row.followed_by, "");
}

TEST_F(InCompany, a_failure_that_another_test_gets_without_asking_is_suspected_to_be_kept) {
  test("one");
  test("two");
  auto& first = looks(aimed("one", "look", "error(503)"));
  control("two");
  did("one", look_fails());
  did("two", fails_by_itself());
  EXPECT_EQ(shown(), (std::vector{What::suspicion}));
  EXPECT_EQ(first.row.followed_by, "two");
}

TEST_F(InCompany, a_later_failure_of_its_own_is_nobodys) {
  test("one");
  test("two");
  auto& first = looks(aimed("one", "look", "error(503)"));
  control("two");
  did("one", look_fails());
  did("two", before(faulted()).fails({{"ServiceDown", "503"}}));
  EXPECT_EQ(first.row.followed_by, "");
  EXPECT_EQ(shown(), (std::vector{What::not_run}));
}

}  // namespace
}  // namespace retrial::campaign

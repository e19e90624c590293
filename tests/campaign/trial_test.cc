#include "campaign/trial.h"

#include <gtest/gtest.h>

#include "tests/oracles/runs.h"
#include "tests/support/folder.h"

namespace retrial::campaign {
namespace {

using oracles::kTest;
using oracles::Tale;

// A case whose runs are made up: `with` and `without` say what the next one of each kind does.
class Trying : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = Executor::open({.folder = folder_.path(), .capture = {}}, clock_);
    ASSERT_TRUE(opened) << opened.error().line();
    executor_ = std::move(*opened);
    workers_.emplace(*executor_, slots_, clock_, 1);
    context_.emplace(*executor_, *workers_, adapter_for(argv_), argv_, slots_, config_, runs_, live_, clock_);
    reference_ = well().run();
    case_.row = {
        .id = "c1", .policy = "P3", .plan = "error(503)", .test = kTest, .operation = "PUT /a", .outcome = "planned"};
    case_.faults = *policies::parse_fault_plan("error(503)");
    case_.places = {{.test = kTest, .reference = &reference_}};
  }
  static Tale well() {
    Tale tale(trace::RunKind::alone);
    tale.call("a", "PUT", "/a").answers(200);
    return tale.passes();
  }
  static Tale broken() {
    Tale tale(trace::RunKind::with_fault);
    tale.call("a", "PUT", "/a").gets_error();
    return tale.fails({oracles::thrown("builtins.TypeError", "'NoneType' object is not subscriptable")});
  }
  static Tale passed_on() {
    Tale tale(trace::RunKind::with_fault);
    tale.call("a", "PUT", "/a").gets_error();
    return tale.fails({oracles::thrown("ServiceUnavailable", "503")});
  }
  static Tale endless() {
    Tale tale(trace::RunKind::with_fault);
    tale.call("a", "PUT", "/a").gets_error();
    for (int i = 0; i < 200; i++) tale.again((1 + i) * kSecond).gets_error();
    return tale.stops(trace::Stop::capped);
  }
  static Tale hasty() {  // with one gap after the first retry
    Tale tale(trace::RunKind::with_fault);
    tale.call("a", "PUT", "/a").gets_error();
    for (int i = 0; i < 2; i++) tale.again(kMillisecond).gets_error();
    return tale.fails({oracles::thrown("ServiceUnavailable", "503")});
  }
  static Tale fails_by_itself() {
    Tale tale(trace::RunKind::without_fault);
    tale.call("a", "PUT", "/a").answers(200);
    return tale.fails({oracles::assertion("1 != 2")});
  }
  // Which runs it asks for, in order: "with alone without".
  std::string tried(Trial& trial) {
    std::string out;
    while (auto spec = trial.next()) {
      bool faulted = spec->kind == trace::RunKind::with_fault;
      EXPECT_EQ(spec->aims.size(), faulted ? 1u : 0u);
      auto& from = faulted ? with_ : without_;
      EXPECT_FALSE(from.empty()) << "one more than was thought of: " << out << trace::show(spec->kind);
      if (from.empty()) break;
      auto run = from.front().done();
      from.pop_front();
      run.id = runs_.size() + 1;
      run.kind = spec->kind;
      out += (out.empty() ? "" : " ") + std::string(spec->kind == trace::RunKind::alone ? "alone"
                                                    : faulted                           ? "with"
                                                                                        : "without");
      trial.ran(runs_.keep(run));
    }
    return out;
  }
  static std::vector<trace::Finding> suspected(const char* verdict, const char* operation = "PUT /a") {
    trace::Finding f;
    f.verdict = verdict;
    f.operation = operation;
    f.site = trace::CallSite{"src/orders.py", 12, "a"};
    return {f};
  }
  static std::string why(const CaseResult& result) {
    return result.not_judged.empty() ? "" : result.not_judged.front().why;
  }

  test::Folder folder_;
  SystemClock clock_;
  std::vector<std::string> argv_{"true"};
  Config config_;
  RunLog runs_{folder_.path() / "campaign.db"};
  Slots slots_{config_.services, folder_.path()};
  report::LiveLine live_{stdout, {}};
  std::unique_ptr<Executor> executor_;
  std::optional<Workers> workers_;
  std::optional<CampaignContext> context_;
  trace::Run reference_;
  Case case_;
  std::deque<Tale> with_, without_;
};

TEST_F(Trying, what_is_right_takes_one_run_beside_the_reference) {
  without_ = {well()};
  with_ = {passed_on()};
  Trial trial(*context_, case_, {}, false);
  EXPECT_EQ(tried(trial), "with alone");
  ASSERT_EQ(trial.result().clean.size(), 1u);
  EXPECT_EQ(trial.result().clean[0].why, "1 attempt, then the fault was passed on; the test failed");
  EXPECT_EQ(case_.row.outcome, "run");
  EXPECT_EQ(case_.row.runs.size(), 2u);
}

TEST_F(Trying, a_reference_that_is_there_is_used) {
  with_ = {passed_on()};
  context_->alone[kTest] = &runs_.keep(well().done());
  Trial trial(*context_, case_, {}, false);
  EXPECT_EQ(tried(trial), "with");
}

TEST_F(Trying, a_suspicion_is_confirmed_by_one_run_with_and_one_without_the_fault) {
  without_ = {well()};
  with_ = {endless()};
  Trial trial(*context_, case_, suspected("missing-cap"), false);
  EXPECT_EQ(tried(trial), "with alone");
  ASSERT_EQ(trial.result().findings.size(), 1u);
  EXPECT_TRUE(trial.result().findings[0].confirmed);
  EXPECT_EQ(trial.result().attempts, 201);
}

TEST_F(Trying, what_nobody_suspected_is_looked_at_twice) {
  without_ = {well()};
  with_ = {endless(), endless()};
  Trial trial(*context_, case_, {}, false);
  EXPECT_EQ(tried(trial), "with alone with");
  EXPECT_EQ(trial.result().findings.size(), 1u);
}

TEST_F(Trying, beside_an_old_reference_a_finding_needs_a_run_without_the_fault_after_it) {
  context_->alone[kTest] = &runs_.keep(well().done());
  without_ = {well()};
  with_ = {endless()};
  Trial trial(*context_, case_, suspected("missing-cap"), false);
  EXPECT_EQ(tried(trial), "with without");
  EXPECT_EQ(trial.result().findings.size(), 1u);
}

TEST_F(Trying, where_nothing_is_left_for_the_next_run_an_old_reference_will_do) {
  context_->services_stay = false;
  context_->alone[kTest] = &runs_.keep(well().done());
  with_ = {endless()};
  Trial trial(*context_, case_, suspected("missing-cap"), false);
  EXPECT_EQ(tried(trial), "with");
  EXPECT_EQ(trial.result().findings.size(), 1u);
  without_ = {well()};
  with_ = {broken(), broken()};
  case_.row.outcome = "planned";
  Trial outcome(*context_, case_, suspected("unrelated-exception"), false);
  EXPECT_EQ(tried(outcome), "with without with");
}

TEST_F(Trying, what_rests_on_how_the_test_ended_is_looked_at_twice_though_it_was_suspected) {
  without_ = {well()};
  with_ = {broken(), broken()};
  Trial trial(*context_, case_, suspected("unrelated-exception"), false);
  EXPECT_EQ(tried(trial), "with alone with");
  EXPECT_EQ(trial.result().findings.size(), 1u);
}

TEST_F(Trying, what_rests_on_how_the_test_ended_and_was_not_suspected_is_looked_at_three_times) {
  without_ = {well()};
  with_ = {broken(), broken(), broken()};
  Trial trial(*context_, case_, {}, false);
  EXPECT_EQ(tried(trial), "with alone with with");
  EXPECT_EQ(trial.result().findings.size(), 1u);
}

TEST_F(Trying, while_the_evidence_is_thin_it_is_about_what_that_leans_to_and_others_may_answer_it) {
  without_ = {well()};
  with_ = {hasty()};
  Trial trial(*context_, case_, {}, false);
  for (int runs = 0; runs < 2; runs++) {
    EXPECT_TRUE(trial.about().empty());
    auto& from = runs == 0 ? with_ : without_;
    ASSERT_TRUE(trial.next());
    auto run = from.front().done();
    run.id = runs_.size() + 1;
    trial.ran(runs_.keep(run));
  }
  ASSERT_EQ(trial.about().size(), 1u);
  EXPECT_EQ(trial.about()[0].verdict, "missing-delay");
  trial.answered("missing-delay, as confirmed in another test");
  EXPECT_FALSE(trial.next());
  EXPECT_EQ(case_.row.outcome, "seen_too");
  EXPECT_TRUE(trial.result().findings.empty());
}

TEST_F(Trying, what_was_suspected_and_is_not_seen_alone_is_looked_for_once_more_and_then_right) {
  without_ = {well()};
  with_ = {passed_on(), passed_on()};
  Trial trial(*context_, case_, suspected("missing-cap"), false);
  EXPECT_EQ(tried(trial), "with alone with");
  EXPECT_TRUE(trial.result().findings.empty());
  EXPECT_EQ(trial.result().clean.size(), 1u);
}

TEST_F(Trying, what_became_of_the_call_in_company_alone_is_never_confirmed_by_how_thin_the_evidence_is) {
  auto recovers = [] {
    Tale tale(trace::RunKind::with_fault);
    tale.call("a", "PUT", "/a").gets_error();
    return tale.again(kMillisecond).gets_error().again(kMillisecond).answers(200);
  };
  auto company = recovers().fails({oracles::assertion("assert 6 == 8")});
  case_.row.site = reference_.exchanges.front().tag.site;
  case_.row.service = reference_.exchanges.front().service;
  for (int i = 0; i < 5; i++) case_.seen.push_back(std::make_shared<trace::Run>(company.done()));
  without_ = {well(), well()};
  for (int i = 0; i < 20; i++) with_.push_back(recovers().passes());
  Trial trial(*context_, case_, suspected("silent-wrong-result"), false);
  tried(trial);
  for (auto& f : trial.result().findings) EXPECT_EQ(f.verdict, "missing-delay");
}

TEST_F(Trying, where_the_fault_of_a_suspicion_does_not_fire_alone_it_is_tried_once_more) {
  without_ = {well()};
  with_ = {well(), endless()};
  Trial trial(*context_, case_, suspected("missing-cap"), false);
  EXPECT_EQ(tried(trial), "with alone with");
  EXPECT_EQ(trial.result().findings.size(), 1u);

  with_ = {well(), well()};
  Trial again(*context_, case_, suspected("missing-cap"), false);
  EXPECT_EQ(tried(again), "with with");
  EXPECT_EQ(case_.row.outcome, "not_fired");
  EXPECT_TRUE(case_.row.why.starts_with("something was seen in company; alone, twice, the fault was planned"))
      << case_.row.why;
}

TEST_F(Trying, what_is_not_seen_again_is_no_finding) {
  without_ = {well()};
  with_ = {broken(), passed_on()};
  Trial trial(*context_, case_, {}, false);
  EXPECT_EQ(tried(trial), "with alone with");
  EXPECT_TRUE(trial.result().findings.empty());
  EXPECT_EQ(why(trial.result()), "unrelated-exception was seen once, and not again when the case was repeated");
}

TEST_F(Trying, what_others_have_confirmed_meanwhile_is_looked_at_no_further) {
  Trial trial(*context_, case_, {}, false);
  EXPECT_TRUE(trial.about().empty());
  for (int n = 0; n < 2; n++) {
    auto spec = trial.next();
    ASSERT_TRUE(spec);
    auto run = (n == 0 ? broken() : well()).done();
    run.id = runs_.size() + 1;
    run.kind = spec->kind;
    trial.ran(runs_.keep(run));
  }
  ASSERT_EQ(trial.about().size(), 1u);
  EXPECT_EQ(trial.about().front().verdict, "unrelated-exception");
  trial.answered("unrelated-exception, as confirmed in test_b");
  EXPECT_FALSE(trial.next());
  EXPECT_EQ(case_.row.outcome, "seen_too");
  EXPECT_EQ(case_.row.why, "unrelated-exception, as confirmed in test_b");
  EXPECT_TRUE(trial.result().findings.empty() && trial.result().clean.empty() && trial.result().not_judged.empty());
}

TEST_F(Trying, what_is_over_stays_as_it_ended) {
  with_ = {broken(), broken()};
  without_ = {well()};
  Trial trial(*context_, case_, suspected("unrelated-exception"), false);
  tried(trial);
  ASSERT_EQ(trial.result().findings.size(), 1u);
  trial.answered("unrelated-exception, as confirmed in test_b");
  EXPECT_EQ(case_.row.outcome, "run");
}

TEST_F(Trying, a_fault_that_fires_once_and_not_again_confirms_nothing) {
  without_ = {well()};
  with_ = {endless(), well()};
  Trial trial(*context_, case_, {}, false);
  EXPECT_EQ(tried(trial), "with alone with");
  EXPECT_TRUE(trial.result().findings.empty());
  EXPECT_EQ(why(trial.result()), "missing-cap was seen once; when the case was repeated its fault did not fire");
}

TEST_F(Trying, a_run_without_the_fault_that_we_could_not_record_is_not_held_against_the_test) {
  context_->alone[kTest] = &runs_.keep(well().done());
  auto lost = fails_by_itself();
  lost.run().incomplete = "the disk is full";
  without_ = {lost};
  with_ = {endless()};
  Trial trial(*context_, case_, suspected("missing-cap"), false);
  EXPECT_EQ(tried(trial), "with without");
  EXPECT_FALSE(trial.result().spoilt);
  EXPECT_EQ(case_.row.outcome, "incomplete");
  EXPECT_EQ(why(trial.result()), "the disk is full");
}

TEST_F(Trying, who_is_interrupted_says_nothing_of_the_test) {
  context_->alone[kTest] = &runs_.keep(well().done());
  with_ = {endless()};
  Trial trial(*context_, case_, suspected("missing-cap"), false);
  ASSERT_TRUE(trial.next());
  trial.ran(runs_.keep(with_.front().done()));
  ASSERT_TRUE(trial.next());
  executor_->interrupt();
  trial.ran(runs_.keep(fails_by_itself().done()));
  EXPECT_FALSE(trial.next());
  EXPECT_FALSE(trial.result().spoilt);
  EXPECT_TRUE(trial.result().findings.empty() && trial.result().not_judged.empty());
}

TEST_F(Trying, who_is_cut_by_the_budget_leaves_its_suspicion_open) {
  context_->alone[kTest] = &runs_.keep(well().done());
  auto cut = endless();
  cut.run().stop = trace::Stop::interrupted;
  Trial trial(*context_, case_, suspected("missing-cap"), false);
  ASSERT_TRUE(trial.next());
  trial.ran(runs_.keep(cut.done()));
  EXPECT_FALSE(trial.next());
  EXPECT_EQ(case_.row.outcome, "planned");
  EXPECT_EQ(case_.row.why, "something was seen, and not confirmed");
  EXPECT_TRUE(trial.result().findings.empty());
}

TEST_F(Trying, an_unsteady_test_is_believed_after_three_runs_with_and_three_without) {
  without_ = {well(), well(), well()};
  with_ = {broken(), broken(), broken()};
  Trial trial(*context_, case_, {}, true);
  EXPECT_EQ(tried(trial), "with alone with without with without");
  EXPECT_EQ(trial.result().findings.size(), 1u);
}

TEST_F(Trying, how_a_client_retries_shows_in_its_attempts_though_its_test_is_unsteady) {
  without_ = {well(), well()};
  with_ = {endless(), endless()};
  Trial trial(*context_, case_, {}, true);
  EXPECT_EQ(tried(trial), "with alone with");
  EXPECT_EQ(trial.result().findings.size(), 1u);
}

TEST_F(Trying, an_unsteady_test_that_fails_by_itself_shows_nothing_and_spoils_nothing) {
  without_ = {well(), fails_by_itself()};
  with_ = {broken(), broken()};
  Trial trial(*context_, case_, {}, true);
  EXPECT_EQ(tried(trial), "with alone with without");
  EXPECT_TRUE(trial.result().findings.empty());
  EXPECT_FALSE(trial.result().spoilt);
}

TEST_F(Trying, a_test_that_fails_without_the_fault_since_is_spoilt) {
  context_->alone[kTest] = &runs_.keep(well().done());
  without_ = {fails_by_itself()};
  with_ = {endless()};
  Trial trial(*context_, case_, suspected("missing-cap"), false);
  EXPECT_EQ(tried(trial), "with without");
  EXPECT_TRUE(trial.result().spoilt);
  EXPECT_TRUE(trial.result().findings.empty());
}

TEST_F(Trying, a_test_that_fails_alone_passes_in_company_or_the_case_before_has_spoilt_it) {
  without_ = {fails_by_itself(), fails_by_itself()};
  with_ = {broken()};
  Trial trial(*context_, case_, {}, false);
  EXPECT_EQ(tried(trial), "with alone alone");
  EXPECT_EQ(why(trial.result()),
            "alone, without any fault, its test fails: it passes only in company, or this case has spoilt a service's "
            "state");
  EXPECT_TRUE(trial.result().findings.empty());
}

TEST_F(Trying, a_test_that_passes_in_company_alone_is_told_so) {
  context_->services_stay = false;
  without_ = {fails_by_itself(), fails_by_itself()};
  with_ = {fails_by_itself()};
  Trial trial(*context_, case_, {}, false);
  EXPECT_EQ(tried(trial), "with alone alone");
  EXPECT_EQ(why(trial.result()), "its test passes only in company: alone, without any fault, it fails");
  EXPECT_EQ(case_.row.outcome, "not_fired");
}

TEST_F(Trying, a_test_that_fails_alone_once_is_unsteady) {
  without_ = {fails_by_itself(), well(), well(), well()};
  with_ = {broken(), broken(), broken()};
  Trial trial(*context_, case_, {}, false);
  EXPECT_EQ(tried(trial), "with alone alone with without with without");
  EXPECT_FALSE(trial.result().findings.empty());
}

TEST_F(Trying, a_fault_that_does_not_fire_is_said) {
  without_ = {well()};
  with_ = {well()};
  Trial trial(*context_, case_, {}, false);
  EXPECT_EQ(tried(trial), "with alone");
  EXPECT_EQ(case_.row.outcome, "not_fired");
  EXPECT_EQ(trial.result().attempts, 0);
}

TEST_F(Trying, a_call_that_has_another_site_alone_is_found_by_its_place_among_those_of_its_operation) {
  auto by = [](Tale tale, const char* file) {
    for (auto& e : tale.run().exchanges) e.tag.site->file = file;
    return tale;
  };
  auto& e = reference_.exchanges.front();
  e.tag.site->file = "src/logger.py";
  case_.row.site = e.tag.site, case_.row.service = e.service, case_.row.occurrence = 1;
  without_ = {by(well(), "src/retry.py")};
  with_ = {by(well(), "src/retry.py"), by(passed_on(), "src/retry.py")};
  Trial trial(*context_, case_, {}, false);
  EXPECT_EQ(tried(trial), "with alone with");
  EXPECT_EQ(case_.row.outcome, "run");
}

// Both executions of the test in one run.
Tale twice(Tale first, Tale second) {
  auto more = second.done();
  for (auto& e : more.exchanges) e.tag.test = trace::execution_of(kTest, 2), e.call += 100;
  for (auto& r : more.results) r.test = trace::execution_of(kTest, 2);
  auto& run = first.run();
  std::ranges::move(more.exchanges, std::back_inserter(run.exchanges));
  std::ranges::move(more.results, std::back_inserter(run.results));
  return first;
}

TEST_F(Trying, a_kept_failure_is_confirmed_by_runs_in_which_its_test_is_executed_twice) {
  case_.row.followed_by = trace::execution_of(kTest, 2);
  case_.row.operation = "GET /a";
  auto reads = [](trace::RunKind kind) { return Tale(kind).call("a", "GET", "/a"); };
  trace::Thrown down = oracles::thrown("ServiceUnavailable", "503");
  auto kept = twice(reads(trace::RunKind::with_fault).gets_error().fails({down}),
                    Tale(trace::RunKind::with_fault).fails({down}));
  with_ = {kept, kept};
  without_ = {twice(reads(trace::RunKind::alone).answers(200).passes(), Tale(trace::RunKind::alone).passes())};
  context_->alone[kTest] = &runs_.keep(well().done());  // which executes it once
  Trial trial(*context_, case_, suspected("kept-failure", "GET /a"), false);
  EXPECT_EQ(tried(trial), "with alone with");
  ASSERT_EQ(trial.result().findings.size(), 1u);
  EXPECT_EQ(trial.result().findings[0].verdict, "kept-failure");
}

TEST_F(Trying, a_test_that_cannot_be_executed_twice_shows_no_kept_failure) {
  case_.row.followed_by = trace::execution_of(kTest, 2);
  auto fails = Tale(trace::RunKind::with_fault).fails({oracles::thrown("ServiceUnavailable", "503")});
  with_ = {twice(passed_on(), fails), twice(passed_on(), fails)};
  without_ = {twice(well(), fails)};
  Trial trial(*context_, case_, suspected("kept-failure"), false);
  EXPECT_EQ(tried(trial), "with alone with");
  EXPECT_TRUE(trial.result().findings.empty());
}

}  // namespace
}  // namespace retrial::campaign

#include "oracles/time_of_fault.h"

#include <gtest/gtest.h>

#include "tests/oracles/runs.h"

namespace retrial::oracles {
namespace {

constexpr auto kBefore = "crash(before-request) x 1, then pass", kExecuted = "crash(executed) x 1, then pass",
               kWaited = "crash(before-request)";

// A worker (process 200) takes a job, does it, and is done with it; another comes after it where it dies.
struct Worker {
  Trial trial;
  explicit Worker(const std::string& plan = kExecuted) : trial("TOF", plan) {
    trial.reference.in_process(200).call("work", "GET", "/jobs").answers(200);
    trial.reference.call("work", "POST", "/jobs/1/take").answers(200);
    trial.reference.call("work", "POST", "/jobs/1/complete").answers(200);
    trial.in_case().in_process(200).call("work", "GET", "/jobs").answers(200);
  }
  Tale& now() { return trial.in_case(); }
  Worker& takes_and_dies() {
    now().call("work", "POST", "/jobs/1/take").dies(200);
    return *this;
  }
  Worker& comes_again(int pid = 300) {
    now().in_process(pid).call("work", "GET", "/jobs").answers(200);
    return *this;
  }
  std::string said() {
    std::string found;
    for (auto& f : trial.judge().findings) found += f.verdict + " " + std::string(show(f.confidence)) + " ";
    return found;
  }
  std::string open() {
    auto judgement = trial.judge();
    return judgement.not_judged.empty() ? "" : judgement.not_judged.front().why;
  }
};

TEST(TimeOfFault, is_what_the_dead_had_taken_and_its_successor_never_does_though_the_test_passes) {
  Worker worker;
  worker.takes_and_dies().comes_again().now().passes();
  EXPECT_EQ(worker.said(), "time-of-fault likely ");
  auto f = worker.trial.judge().findings.front();
  for (auto part : {"POST /jobs/{id}/take", "Process 300 took its place", "was never given back or done"})
    EXPECT_TRUE(f.message.contains(part)) << part << "\n" << f.message;
}

TEST(TimeOfFault, is_not_said_where_the_successor_does_it) {
  Worker worker;
  worker.takes_and_dies().comes_again().now().call("work", "POST", "/jobs/1/complete").answers(200).passes();
  EXPECT_EQ(worker.said(), "");
}

TEST(TimeOfFault, is_a_test_that_fails_behind_a_recovery_whose_death_at_another_moment_is_borne) {
  Worker worker;
  worker.takes_and_dies().comes_again().now().call("look", "GET", "/results/1").answers(404);
  worker.now().fails({thrown("app.Missing", "no result")});
  EXPECT_EQ(worker.said(), "time-of-fault likely ");
  auto f = worker.trial.judge().findings.front();
  EXPECT_TRUE(f.message.contains("GET /results/{id} at src/orders.py:12 look was answered 404 Not Found")) << f.message;
  worker.trial.row.policy = "observe";
  EXPECT_EQ(worker.said(), "") << "nothing is known of another moment";
}

TEST(TimeOfFault, is_not_said_where_nobody_comes_after_the_dead) {
  Worker worker;
  worker.takes_and_dies().now().fails({thrown("app.Died", "the worker has died")});
  EXPECT_EQ(worker.said(), "");
  EXPECT_EQ(worker.open(), "nobody came after the process that was ended: what is missing says nothing of the moment");
}

TEST(TimeOfFault, is_a_test_that_stands_still_and_no_hang_beside_it) {
  Worker worker(kWaited);
  worker.now().call("work", "POST", "/jobs/1/take").dies(0).waits(48 * 3600 * kSecond).stops(trace::Stop::hung);
  EXPECT_EQ(worker.said(), "time-of-fault likely ");
}

struct Waiter {
  Worker worker{kWaited};
  // The same is asked each ten seconds for so long, and answered alike but for what `last` says.
  explicit Waiter(Nanos time, int last = 404) {
    auto& now = worker.now();
    now.call("work", "POST", "/jobs/1/take").dies(0).in_process(100);
    for (Nanos passed = 0; passed <= time; passed += 10 * kSecond) {
      now.call("wait", "GET", "/grants/1").answers(passed + 10 * kSecond > time ? last : 404);
      now.moved_on(10 * kSecond);
    }
    now.stops(trace::Stop::deadline);
  }
};

TEST(TimeOfFault, is_who_asks_for_the_same_for_longer_than_any_time_out) {
  Waiter waiter(320 * kSecond);
  EXPECT_EQ(waiter.worker.said(), "time-of-fault likely ");
  auto f = waiter.worker.trial.judge().findings.front();
  EXPECT_TRUE(f.message.contains("GET /grants/{id} at src/orders.py:12 wait was sent 33 times")) << f.message;
}

TEST(TimeOfFault, is_who_asks_on_though_the_runs_end_cuts_the_last_question) {
  Waiter waiter(320 * kSecond);
  waiter.worker.now().call("wait", "GET", "/grants/1").answers(404);
  auto& cut = waiter.worker.now().last();
  cut.service_status = 408;
  cut.ending = trace::Ending::client_left;
  EXPECT_EQ(waiter.worker.said(), "time-of-fault likely ");
}

TEST(LostEffect, is_not_said_of_a_client_that_was_ended_by_the_fault) {
  Trial t("TOF", kBefore);
  t.reference.in_process(200).call("work", "POST", "/jobs", {}).answers(201, R"({"id":1})");
  t.reference.in_process(100).call("look", "GET", "/jobs").answers(200, R"([{"id":1}])");
  t.in_case().in_process(200).call("work", "POST", "/jobs").dies(0);
  t.in_case().in_process(100).call("look", "GET", "/jobs").answers(200, "[]").passes();
  EXPECT_EQ(t.verdicts(), "");
}

TEST(TimeOfFault, is_not_said_of_who_may_have_a_time_out_of_minutes) {
  Waiter waiter(300 * kSecond);
  EXPECT_EQ(waiter.worker.said(), "");
  EXPECT_TRUE(waiter.worker.open().ends_with("a time-out longer than that would look the same"));
}

TEST(TimeOfFault, is_not_said_where_the_answer_changes) {
  Waiter waiter(320 * kSecond, 200);
  EXPECT_EQ(waiter.worker.said(), "");
}

TEST(TimeOfFault, of_a_loss_in_place_of_a_death_is_a_wait_alone) {
  Trial trial{"TOF", "reset(after-request)"};
  trial.reference.call("grant", "PUT", "/grants/1").answers(201);
  trial.in_case().call("grant", "PUT", "/grants/1").is_reset();
  trial.in_case().fails({thrown("app.Lost", "connection reset")});
  EXPECT_EQ(trial.verdicts().find("time-of-fault"), std::string::npos);
  trial.in_case().run().results.clear();
  trial.in_case().stops(trace::Stop::hung).waits(48 * 3600 * kSecond);
  EXPECT_NE(trial.verdicts().find("time-of-fault likely"), std::string::npos) << trial.verdicts();
}

TEST(UnrelatedException, of_a_death_speaks_of_programming_errors_alone) {
  Worker worker(kBefore);
  worker.now()
      .call("work", "POST", "/jobs/1/take")
      .dies(0)
      .fails({thrown("requests.ConnectionError", "reset by peer")});
  EXPECT_EQ(worker.said(), "");
}

TEST(TimeOfFault, is_possible_where_the_run_was_ended_for_so_many_questions_in_a_row) {
  // By its own limit, on a machine that is too busy for more: as often.
  for (auto [times, stop] : {std::pair(100, trace::Stop::capped), std::pair(3000, trace::Stop::capped),
                             std::pair(100, trace::Stop::deadline), std::pair(2400, trace::Stop::deadline)}) {
    Worker worker(kWaited);
    worker.now().call("work", "POST", "/jobs/1/take").dies(0);
    worker.now().in_process(300);
    for (int i = 0; i < times; i++)
      worker.now().call("wait", "GET", "/grants/1").answers(200, "none").waits(20 * kMillisecond);
    worker.now().stops(stop);
    EXPECT_EQ(worker.said(), times > 1000 ? "time-of-fault possible " : "");
  }
}

TEST(TimeOfFault, names_of_several_that_wait_the_one_that_came_after_the_dead) {
  Worker worker(kWaited);
  auto& now = worker.now();
  now.in_process(400).call("watch", "GET", "/over").answers(200, "no");
  now.in_process(200).call("work", "POST", "/jobs/1/take").dies(0);
  for (int i = 0; i < 40; i++) {
    now.in_process(400).call("watch", "GET", "/over").answers(200, "no").waits(5 * kSecond);
    now.in_process(300).call("wait", "GET", "/grants/1").answers(200, "none").waits(5 * kSecond);
  }
  now.stops(trace::Stop::deadline);
  auto judgement = worker.trial.judge();
  ASSERT_EQ(judgement.findings.size(), 1u);
  EXPECT_TRUE(judgement.findings[0].message.contains("GET /grants/{id}")) << judgement.findings[0].message;
}

}  // namespace
}  // namespace retrial::oracles

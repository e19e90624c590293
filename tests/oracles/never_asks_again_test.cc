#include <gtest/gtest.h>

#include "tests/oracles/runs.h"

namespace retrial::oracles {
namespace {

// A worker that puts three items, one a second; at the first three failures in a row a breaker opens.
struct Worker {
  Trial trial{"K3", "error(503) x 3, then pass"};

  Worker() {
    for (int n = 1; n <= 3; n++) put(trial.reference, n).answers(200).waits(kSecond);
    put(trial.in_case(), 1).gets_error().again(kSecond).gets_error().again(2 * kSecond).gets_error();
  }
  static Tale& put(Tale& tale, int n) { return tale.call("put", "PUT", "/items/" + std::to_string(n)); }
  Tale& now() { return trial.in_case(); }
  // It waits and looks whether it may, so often.
  Tale& looks(int times, Nanos wait = 60 * kSecond) {
    for (int n = 0; n < times; n++) now().moved_on(wait);
    return now();
  }
  std::string found() {
    now().passes();
    std::string out;
    for (auto& f : trial.judge().findings)
      if (f.verdict == "never-asks-again") out += std::string(show(f.confidence));
    return out;
  }
};

TEST(NeverAsksAgain, a_breaker_that_stays_open_while_the_program_goes_on) {
  Worker worker;
  worker.looks(6);
  EXPECT_EQ(worker.found(), "likely");
}

TEST(NeverAsksAgain, not_where_it_is_the_fixtures_that_go_on) {
  Worker worker;
  auto over = worker.now().last().told + 1;
  worker.now().run().stages = {{kTest, trace::Phase::test, 100, true, 1},
                               {kTest, trace::Phase::test, 100, false, over}};
  worker.looks(6);
  EXPECT_EQ(worker.found(), "");
}

TEST(NeverAsksAgain, not_where_one_request_is_let_through_after_a_while) {
  Worker worker;
  worker.looks(4);
  Worker::put(worker.now(), 1).answers(200);
  worker.looks(20);
  EXPECT_EQ(worker.found(), "");
}

TEST(NeverAsksAgain, not_where_a_half_open_breaker_is_told_of_one_more_failure) {
  Worker worker;
  for (int n = 0; n < 3; n++) {
    worker.looks(2);
    Worker::put(worker.now(), 1).gets_error();
  }
  EXPECT_EQ(worker.found(), "");
}

TEST(NeverAsksAgain, not_before_five_minutes) {
  Worker worker;
  worker.looks(29, 10 * kSecond);
  EXPECT_EQ(worker.found(), "");
}

TEST(NeverAsksAgain, not_where_it_waits_once_for_something_else) {
  Worker worker;
  worker.looks(1, 3600 * kSecond);
  EXPECT_EQ(worker.found(), "");
}

TEST(NeverAsksAgain, not_where_it_is_as_silent_without_faults) {
  Worker worker;
  worker.trial.reference.waits(200 * kSecond);
  worker.looks(6);
  EXPECT_EQ(worker.found(), "") << "360 s are no three times 201";
}

TEST(NeverAsksAgain, not_where_nothing_more_was_to_be_asked) {
  Worker worker;
  Worker::put(worker.now(), 2).gets_error();
  Worker::put(worker.now(), 3).gets_error();
  worker.looks(6);
  EXPECT_EQ(worker.found(), "");
}

TEST(NeverAsksAgain, not_where_another_address_is_asked) {
  Worker worker;
  worker.looks(1);
  Worker::put(worker.now(), 1);
  worker.now().last().service = "127.0.0.1:9001";
  worker.now().answers(200);
  worker.looks(6);
  EXPECT_EQ(worker.found(), "");
}

}  // namespace
}  // namespace retrial::oracles

#include "oracles/turn.h"

#include <gtest/gtest.h>

#include "tests/oracles/runs.h"

namespace retrial::oracles {
namespace {

// One makes a job, which another reads 3 ms later; with the fault the making is held for 20 ms.
struct Held {
  Trial trial{"order", "delay(20ms) x 1, then pass"};

  explicit Held(const std::string& method = "PUT", const std::string& target = "/jobs/1", int status = 201) {
    trial.reference.call("make", method, target).answers(status);
    trial.reference.call("use", "GET", "/jobs/1").answers(200);
    trial.in_case().call("make", method, target).is_delayed();
  }
  Tale& now() { return trial.in_case(); }
  // The first goes on, and is answered.
  Held& goes_on(int status = 201) {
    auto& e = now().run().exchanges.front();
    e.answered = e.service_done = e.told = e.fired_at + 21 * kMillisecond;
    e.service_status = e.client_status = status;
    e.ending = trace::Ending::answered;
    return *this;
  }
  std::string order() {
    std::string found;
    for (auto& f : trial.judge().findings)
      if (f.verdict == "order-violation") found += std::string(show(f.confidence));
    return found;
  }
};

TEST(OrderViolation, is_certain_where_the_second_came_first_and_was_refused_and_the_test_failed) {
  Held held;
  held.now().call("use", "GET", "/jobs/1").answers(404);
  held.goes_on().now().fails({thrown("app.Refused", "404 no such job")});
  EXPECT_EQ(held.order(), "certain");
  auto f = held.trial.judge().findings.front();
  EXPECT_EQ(f.verdict, "order-violation");
  for (auto part : {"PUT /jobs/{id} at src/orders.py:12 make", "GET /jobs/{id} at src/orders.py:12 use",
                    "the second was answered 404 Not Found", "Refused: 404", "held for 20 ms"})
    EXPECT_TRUE(f.message.contains(part)) << part << "\n" << f.message;
  EXPECT_EQ(f.evidence, (std::vector<std::uint64_t>{1, 2}));
}

TEST(OrderViolation, is_said_where_the_seconds_failure_ended_everything_before_the_first_went_on) {
  Held held;
  held.now().call("use", "GET", "/jobs/1").answers(404);
  auto& first = held.now().run().exchanges.front();
  first.ending = trace::Ending::client_left;
  first.told = first.fired_at + 10 * kMillisecond;
  held.now().fails({thrown("app.Refused", "404 no such job")});
  EXPECT_EQ(held.order(), "certain");
  first.told = first.fired_at + kMillisecond / 2;
  EXPECT_EQ(held.order(), "") << "the client had given it up before";
}

TEST(OrderViolation, has_one_id_however_long_the_first_was_held) {
  auto id = [](std::string plan) {
    Held held;
    held.trial.row.plan = std::move(plan);
    held.now().call("use", "GET", "/jobs/1").answers(404);
    held.goes_on().now().fails({thrown("app.Refused", "404")});
    return held.trial.judge().findings.front().id;
  };
  EXPECT_EQ(id("delay(20ms) x 1, then pass"), id("delay(100ms) x 1, then pass"));
}

TEST(OrderViolation, is_likely_where_nothing_but_the_result_tells_of_it) {
  Held held;
  held.now().call("use", "GET", "/jobs/1").answers(200, "[]");
  held.goes_on().now().fails({assertion("[] != ['1']")});
  EXPECT_EQ(held.order(), "likely");
}

TEST(OrderViolation, is_not_said_where_the_second_waited_whatever_became_of_the_test) {
  Held held;
  held.goes_on().now().waits(22 * kMillisecond);
  held.now().call("use", "GET", "/jobs/1").answers(404);
  held.now().fails({thrown("app.Refused", "404 no such job")});
  EXPECT_EQ(held.order(), "");
}

TEST(OrderViolation, is_not_said_where_the_second_was_still_open_when_the_first_went_on) {
  Held held;
  held.now().call("use", "GET", "/jobs/1").waits(25 * kMillisecond).answers(404);
  held.goes_on().now().fails({thrown("app.Refused", "404 no such job")});
  EXPECT_EQ(held.order(), "");
  EXPECT_TRUE(held.trial.judge().needs_more_runs);
}

TEST(OrderViolation, is_not_said_of_who_looks_again_until_it_is_there) {
  Held held;
  for (auto status : {404, 404}) held.now().call("use", "GET", "/jobs/1").answers(status);
  held.goes_on().now().waits(25 * kMillisecond);
  held.now().call("use", "GET", "/jobs/1").answers(200);
  held.now().passes();
  EXPECT_EQ(held.order(), "");
  EXPECT_FALSE(held.trial.judge().needs_more_runs) << "it has turned, and was borne";
}

// As Node's agent tells it: each request is a strand of its own, behind those whose answers led to it.
TEST(OrderViolation, is_not_said_where_who_had_the_refusal_goes_on_to_get_it_elsewhere) {
  for (bool known : {false, true}) {
    Held held;
    auto sent_by = [&](const char* stack) { held.now().run().exchanges.back().tag.stack = known ? stack : ""; };
    held.now().call("use", "GET", "/jobs/1").answers(404);
    sent_by("/3,2.a");
    held.goes_on().now().waits(25 * kMillisecond);
    held.now().call("make_up", "PUT", "/jobs/1").answers(200);
    sent_by("/3,/5,4.b");
    held.now().passes();
    EXPECT_EQ(held.order(), known ? "" : "possible");
  }
}

TEST(OrderViolation, is_no_more_than_possible_where_a_refusal_has_no_consequence) {
  Held held;
  held.now().call("use", "GET", "/jobs/1").answers(404);
  held.goes_on().now().passes();
  EXPECT_EQ(held.order(), "possible");
}

TEST(OrderViolation, is_likely_where_it_was_ended_twice) {
  Held held("POST", "/jobs/1/complete", 200);
  held.now().call("use", "GET", "/jobs/1").answers(200);
  held.now().call("make", "POST", "/jobs/1/complete").answers(200);
  held.goes_on(200).now().passes();
  EXPECT_EQ(held.order(), "likely");
}

TEST(OrderViolation, is_likely_where_a_write_is_lost_and_nobody_is_told) {
  Held held("PUT", "/files/1/parts/2", 200);
  held.trial.reference.call("close", "POST", "/files/1/close").answers(200);
  held.now().call("close", "POST", "/files/1/close").answers(200);
  held.goes_on(409).now().passes();
  EXPECT_EQ(held.order(), "likely");
}

TEST(OrderViolation, is_no_matter_of_a_DELETE_of_what_is_gone) {
  Held held("DELETE", "/jobs/1", 204);
  held.trial.reference.call("other", "GET", "/jobs").answers(200, "[]");
  held.now().call("other", "GET", "/jobs").answers(200, "[1]");
  held.now().call("tidy", "DELETE", "/jobs/1").answers(204);
  held.goes_on(404).now().passes();
  EXPECT_EQ(held.order(), "");
}

TEST(OrderViolation, asks_for_another_run_until_the_second_has_waited_three_times) {
  Held held;
  auto wait = [](Tale& tale, bool first) {
    if (!first) tale.call("make", "PUT", "/jobs/1").is_delayed();
    tale.waits(20 * kMillisecond).answers(201);
    tale.call("use", "GET", "/jobs/1").answers(200);
    tale.passes();
  };
  wait(held.now(), true);
  EXPECT_TRUE(held.trial.judge().needs_more_runs);
  wait(held.trial.one_more(), false);
  EXPECT_TRUE(held.trial.judge().needs_more_runs);
  wait(held.trial.one_more(), false);
  EXPECT_FALSE(held.trial.judge().needs_more_runs);
  EXPECT_EQ(held.order(), "");
}

TEST(OrderViolation, is_likely_where_the_test_never_ends) {
  Held held;
  held.now().call("use", "GET", "/jobs/1").answers(404);
  held.goes_on().now().stops(trace::Stop::hung);
  EXPECT_EQ(held.order(), "likely");
}

}  // namespace
}  // namespace retrial::oracles

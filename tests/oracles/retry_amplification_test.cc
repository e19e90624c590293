// Two loops of the application's own, and single ones that look like them: what the numbers of retry-amplification
// yield on made-up clients.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>

#include "tests/oracles/runs.h"
#include "tests/oracles/schedules.h"

namespace retrial::oracles {
namespace {

// A client that waits so long, in seconds, between its attempts, each of which gets a 503. With an agent each enters
// the library anew.
Trial waiting(const std::vector<double>& gaps, bool agent = false) {
  Trial t("P3", "error(503)");
  t.reference.call("load", "GET", "/things/lamp").answers(200);
  t.in_case().call("load", "GET", "/things/lamp").gets_error();
  int entries = 0;
  auto enter = [&] {
    if (agent) t.in_case().last().tag.call_id = "100-" + std::to_string(++entries);
  };
  enter();
  for (auto gap : gaps) {
    t.in_case().again(static_cast<Nanos>(gap * kSecond)).gets_error();
    enter();
  }
  return t;
}
std::string layers(Trial t) {
  for (auto& f : t.judge().findings)
    if (f.verdict == "retry-amplification") return std::string(show(f.confidence));
  return "none";
}

TEST(RetryAmplification, of_two_loops_is_likely_with_an_agent_and_without) {
  for (bool agent : {false, true}) {
    EXPECT_EQ(layers(waiting({.1, .1, 1, .1, .1, 1, .1, .1}, agent)), "likely");
    EXPECT_EQ(layers(waiting({.1, .2, 1, .1, .2, 2, .1, .2}, agent)), "likely");
    EXPECT_EQ(layers(waiting({1, 2, 60, 1, 2, 120, 1}, agent)), "likely") << "its last round was cut";
    EXPECT_EQ(layers(waiting({.1, 1, .1, 1, .1, 1, .1}, agent)), "likely");
    EXPECT_EQ(layers(waiting({.1, .1, 1, .1, .1}, agent)), "none") << "two rounds may be chance";
  }
}

TEST(RetryAmplification, by_gaps_alone_of_what_the_reference_asks_for_as_often_may_be_calls_side_by_side) {
  for (int times : {1, 2}) {
    auto t = waiting({.01, .1, .01, .2, .01, .4, .01, .8, .01});
    if (times == 2) t.reference.call("load", "GET", "/things/lamp").answers(200);
    EXPECT_EQ(layers(std::move(t)), times == 2 ? "possible" : "likely");
  }
}

// 429 twice, and then an answer that its library takes for one: its caller asks once more.
TEST(RetryAmplification, of_a_library_that_was_answered_well_nothing_goes_on) {
  for (int last : {200, 429}) {
    Trial t("observe", "error(429) x 2, then pass");
    t.reference.call("add", "POST", "/graphql").answers(200);
    t.in_case().call("add", "POST", "/graphql").gets_error(429);
    t.in_case().last().tag.call_id = "100-1";
    for (int n = 1; n < 6; n++) {
      auto& run = t.in_case().again(kSecond);
      n == 2 && last == 200 ? run.answers(200) : run.gets_error(429);
      run.last().tag.call_id = n < 3 ? "100-1" : "100-2";
    }
    EXPECT_EQ(layers(std::move(t)), last == 200 ? "none" : "likely");
  }
}

TEST(RetryAmplification, of_two_loops_is_told_with_its_rounds) {
  auto t = waiting({.1, .1, 1, .1, .1, 1, .1, .1});
  auto judged = t.judge();
  ASSERT_EQ(judged.findings.size(), 1u);
  EXPECT_NE(judged.findings[0].message.find("9 times: 3 rounds of 3 attempts"), std::string::npos)
      << judged.findings[0].message;
}

// Loops whose gaps tell nothing: full jitter in both. CRC-32 of the two places is what Python's agent sends.
// `tasks`: each round in one of its own, begun from these places of the outer function in turn.
std::string nested(bool in_the_test, bool marks, std::vector<std::string> tasks = {}) {
  Trial t("P3", "error(503)");
  t.reference.call("load", "GET", "/things/lamp").answers(200);
  for (int i = 0; i < 9; i++) {
    auto gap = std::array{7, 412, 60, 3, 250, 900, 31, 5}[static_cast<std::size_t>(i + 7) % 8] * kMillisecond;
    (i ? t.in_case().again(gap) : t.in_case().call("load", "GET", "/things/lamp")).gets_error();
    auto& tag = t.in_case().last().tag;
    auto entry = std::to_string(100 + i), round = std::to_string(50 + i / 3);
    tag.call_id = "100-" + entry;
    auto outer = std::string(in_the_test ? "" : ",job.py:24:job");
    tag.site = trace::CallSite{"rates.py", 18, "get", "rates.py:9:ask" + outer};
    // Of job and ask in turn: which runs of them, or which of them went on.
    if (marks) tag.stack = (in_the_test ? "2:77," : "2:f1813fa4,") + round + ":8cdc3bcc," + entry + ":d";
    if (!tasks.empty())
      tag.stack =
          fmt::format("2:{},/{},{}:8cdc3bcc,{}:d", tasks[static_cast<std::size_t>(i) / 3], 8 + i / 3, round, entry);
    if (!marks && i > 0) tag.site->callers = i % 3 ? "rates.py:9:ask," + outer : tag.site->callers + ",";
  }
  for (auto& f : t.judge().findings)
    if (f.verdict == "retry-amplification") return std::string(show(f.confidence)) + ": " + f.message;
  return "none";
}

TEST(RetryAmplification, of_two_loops_whose_gaps_tell_nothing_is_told_by_which_function_went_on) {
  for (bool marks : {true, false}) {
    auto said = nested(false, marks);
    EXPECT_NE(said.find("3 rounds of 3 attempts (rates.py:9 ask within job.py:24 job)"), std::string::npos) << said;
    EXPECT_EQ(said.substr(0, said.find(':')), "likely");
  }
  EXPECT_EQ(nested(true, false), "none") << "the test itself goes round";
  EXPECT_EQ(nested(true, true), "none");
}

TEST(RetryAmplification, of_a_copy_that_another_line_begins_in_a_task_of_its_own_is_none) {
  EXPECT_EQ(nested(false, true, {"f1813fa4", "f1813fa5", "f1813fa5"}), "none") << "a hedge";
  EXPECT_TRUE(nested(false, true, {"f1813fa4", "f1813fa4", "f1813fa4"}).starts_with("likely: ")) << "a limit on each";
}

// As measured of urllib3's 3 attempts in tenacity's 2 in a loop of the application's own.
TEST(RetryAmplification, of_three_layers_names_all_three_and_their_numbers) {
  auto message = [](bool inner_alone) {
    Trial t("P3", "error(503)");
    t.reference.call("load", "GET", "/things/lamp").answers(200);
    for (int i = 0; i < 12; i++) {
      (i ? t.in_case().again(kSecond) : t.in_case().call("load", "GET", "/things/lamp")).gets_error();
      auto& tag = t.in_case().last().tag;
      auto entry = std::to_string(100 + i / 3), task = std::to_string(inner_alone ? 7 : 50 + i / 6);
      tag.site = trace::CallSite{"rates.py", 18, "get", "job.py:24:job"};
      tag.call_id = "100-" + entry;
      tag.stack = "2:f1813fa4," + task + ":c," + entry + ":d";  // job.py:24:job
      tag.libraries = task + ":tenacity%209.2.1," + entry + ":urllib3%202.8.0";
    }
    for (auto& f : t.judge().findings)
      if (f.verdict == "retry-amplification") return f.message;
    return std::string();
  };
  EXPECT_NE(
      message(false).find("12 times: 4 rounds of 3 attempts (job.py:24 job 2 times, in each tenacity 9.2.1 2 times, "
                          "in each urllib3 2.8.0 3 times)"),
      std::string::npos)
      << message(false);
  EXPECT_NE(message(true).find("4 rounds of 3 attempts (each is one call of urllib3 2.8.0)"), std::string::npos)
      << message(true);
}

// HttpURLConnection asks once more where its connection breaks, within one call of it.
// A transport's 4 attempts in a loop of 4 in one of 3: twelve rounds, which nobody goes on with for ever.
TEST(RetryAmplification, of_three_layers_it_is_the_outermost_whose_rounds_say_whether_they_end) {
  auto judged = [](int outer, int rounds) {
    Trial t("P3", "error(503)");
    t.reference.call("load", "GET", "/things/lamp").answers(200);
    for (int i = 0; i < outer * rounds * 4; i++) {
      auto gap = std::array{7, 412, 60, 3, 250, 900, 31, 5}[static_cast<std::size_t>(i) % 8] * kMillisecond;
      (i ? t.in_case().again(gap) : t.in_case().call("load", "GET", "/things/lamp")).gets_error();
      auto& tag = t.in_case().last().tag;
      auto entry = std::to_string(200 + i);
      tag.call_id = "100-" + entry;
      tag.site = trace::CallSite{"rates.py", 18, "get", "rates.py:9:ask,rates.py:5:load,job.py:24:job"};
      tag.stack = fmt::format("2:f1813fa4,{}:60f8b254,{}:8cdc3bcc,{}:d", 20 + i / 4 / rounds, 50 + i / 4, entry);
    }
    for (auto& f : t.judge().findings)
      if (f.verdict == "retry-amplification") return std::string(show(f.confidence));
    return std::string("none");
  };
  EXPECT_EQ(judged(3, 4), "likely");
  EXPECT_EQ(judged(12, 2), "possible") << "a worker";
}

TEST(RetryAmplification, of_what_a_runtimes_own_client_asks_once_more_on_a_broken_connection_is_possible) {
  auto told = [](const char* library, bool broken) {
    Trial t("P3", broken ? "reset" : "error(503)");
    t.reference.call("load", "GET", "/things/lamp").answers(200);
    t.in_case().call("load", "GET", "/things/lamp");
    for (int n = 0; n < 10; n++) {
      if (n) t.in_case().again(n % 2 ? 30 * kMillisecond : (n + 1) * kSecond);
      auto& tag = t.in_case().last().tag;
      tag.call_id = std::to_string(n / 2);
      tag.libraries = std::string("1:") + library;
      broken ? t.in_case().is_reset() : t.in_case().gets_error();
    }
    return t.verdicts();
  };
  EXPECT_EQ(told("Java%2017.0.15%20HttpURLConnection", true), "retry-amplification possible");
  EXPECT_EQ(told("urllib3%202.8.0", true), "retry-amplification likely");
  EXPECT_EQ(told("Java%2017.0.15%20HttpURLConnection", false), "retry-amplification likely");
}

TEST(RetryAmplification, of_a_scheduler_or_a_worker_that_retries_in_one_layer_is_possible_at_most) {
  EXPECT_EQ(layers(waiting({.1, .2, 60, .1, .2, 60, .1, .2, 60, .1, .2})), "possible");
  std::vector<double> worker;
  for (int i = 0; i < 12; i++) worker.insert(worker.end(), {.1, .1, 1});
  EXPECT_EQ(layers(waiting(worker)), "possible");
}

TEST(RetryAmplification, of_what_comes_again_after_such_a_pause_without_the_fault_too_is_possible) {
  auto usually_after = [](Nanos pause) {
    auto t = waiting({.5, 1, 2, 20, .5, 1, 2, 20, .5, 1, 2});
    for (int i = 0; i < 2; i++) t.reference.waits(pause).call("load", "GET", "/things/lamp").answers(200);
    return layers(std::move(t));
  };
  EXPECT_EQ(usually_after(20 * kSecond), "possible");
  EXPECT_EQ(usually_after(kSecond / 10), "likely");
}

TEST(RetryAmplification, of_pauses_that_the_service_chose_is_none) {
  EXPECT_EQ(layers(waiting({.5, .5, .5, 20, .5, .5, .5})), "none");
  auto t = waiting({.1, .1, 20, .1, .1, 20, .1, .1});
  for (auto at : {2u, 5u}) {
    auto& fault = t.in_case().run().exchanges[at].fault;
    fault.retry = trace::RetryAfter::seconds;
    fault.retry_after = 20;
  }
  EXPECT_EQ(layers(std::move(t)), "none");
}

constexpr int kClients = 1000;

TEST(RetryAmplification, of_a_thousand_clients_with_one_loop_less_than_five_are_told) {
  auto each = [](const Schedule& schedule, bool at_once) {
    Draw draw(7);
    int told = 0;
    for (int i = 0; i < kClients; i++) {
      double base = between(draw, 0.1, 1), cap = base * between(draw, 4, 60), wait = base;
      std::vector<double> gaps;
      if (at_once) gaps.push_back(0);  // many come at once the first time
      for (int n = 0, all = std::uniform_int_distribution(7, 30)(draw); n < all; n++)
        gaps.push_back(wait = schedule.wait(draw, n, base, cap, wait));
      told += layers(waiting(gaps)) != "none";
    }
    std::printf("%-32s %5.1f %% told\n", schedule.name, 100.0 * told / kClients);
    EXPECT_LT(told, kClients / 200) << schedule.name;
  };
  for (bool at_once : {false, true}) {
    for (auto& schedule : kGrowing) each(schedule, at_once);
    for (auto& schedule : kConstant) each(schedule, at_once);
  }
}

TEST(RetryAmplification, of_those_with_two_loops_whose_pauses_are_three_times_as_long_most_are_told) {
  Draw draw(7);
  auto any = [&](auto& of) -> const Schedule& {
    return of[std::uniform_int_distribution<std::size_t>(0, std::size(of) - 1)(draw)];
  };
  int told = 0;
  for (int i = 0; i < kClients; i++) {
    auto pick = [&]() -> const Schedule& { return draw() % 2 ? any(kGrowing) : any(kConstant); };
    auto &inner = pick(), &outer = pick();
    int rounds = std::uniform_int_distribution(3, 5)(draw), attempts = std::uniform_int_distribution(3, 4)(draw);
    double base = between(draw, 0.05, 0.5), pause = 3 * grown(attempts - 2, base, 60), before = pause;
    std::vector<double> gaps;
    for (int r = 0; r < rounds; r++) {
      double wait = base;
      for (int n = 0; n < attempts - 1; n++) gaps.push_back(wait = inner.wait(draw, n, base, 10 * base, wait));
      if (r < rounds - 1) gaps.push_back(before = outer.wait(draw, r, pause, 20 * pause, before));
    }
    told += layers(waiting(gaps)) == "likely";
  }
  std::printf("%-32s %5.1f %% told\n", "two loops", 100.0 * told / kClients);
  EXPECT_GT(told, kClients * 6 / 10);
}

}  // namespace
}  // namespace retrial::oracles

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "oracles/waits.h"
#include "tests/oracles/runs.h"
#include "trace/fault_name.h"

// no-backoff, ignores-retry-after, missing-delay and no-jitter, by what a client waited. Schedules as measured of real
// clients.
namespace retrial::oracles {
namespace {
using trace::RetryAfter;
using Schedule = std::vector<int>;  // gaps in ms

Tale& get(Tale& tale) { return tale.call("load", "GET", "/things/lamp"); }

// A call that is answered `status` each time, with these gaps. `moved`: the client's clock is moved on through them,
// but for what it takes to see that everybody waits.
void tell(Tale& tale, const Schedule& gaps, int status = 503, bool moved = false) {
  get(tale).gets_error(status);
  for (auto gap : gaps) {
    auto wait = gap * kMillisecond;
    if (moved && gap > 5) {
      tale.waits(2 * kMillisecond).moved_on(wait - 2 * kMillisecond);
      wait = 0;
    }
    tale.again(wait).gets_error(status);
  }
}
Trial trial(const std::vector<Schedule>& calls, int status = 503, bool moved = false) {
  Trial t("P3", "error(503)");
  get(t.reference).answers(200);
  bool first = true;
  for (auto& gaps : calls) tell(std::exchange(first, false) ? t.in_case() : t.one_more(), gaps, status, moved);
  return t;
}

TEST(NoBackoff, three_waits_of_the_same_length_are_likely) {
  auto t = trial({{1005, 1002, 1003}, {1008, 1001, 1003}});
  EXPECT_EQ(t.verdicts(), "no-backoff likely, note no-jitter likely");
  EXPECT_NE(t.judge().findings[0].message.find("was sent 4 times, and the client waited the same 1.0 s before each "
                                               "retry (6 gaps in 2 calls)"),
            std::string::npos)
      << t.judge().findings[0].message;
  EXPECT_EQ(trial({{1000, 1000, 1000, 1000, 1000}}, 503, true).verdicts(), "no-backoff likely");
  auto thin = trial({{1000, 1000, 1000}}, 503, true);
  EXPECT_EQ(thin.verdicts(), "");
  EXPECT_TRUE(thin.judge().needs_more_runs);
}

// As `trial`, of one call whose client works that long (or waits for a processor) before each retry, besides its waits.
Trial working(const Schedule& work, const Schedule& waits, bool on_other_threads = false) {
  Trial t("P3", "error(503)");
  get(t.reference).answers(200);
  auto& tale = t.in_case();
  get(tale).gets_error(503);
  for (std::size_t i = 0; i < work.size(); i++) {
    tale.works(work[i] * kMillisecond);
    if (on_other_threads) tale.on_another_thread();
    tale.again(waits[i] * kMillisecond).gets_error(503);
  }
  return t;
}

TEST(NoBackoff, load_is_no_wait) { EXPECT_EQ(working({39, 154, 61, 88, 43}, {0, 1, 0, 0, 2}).verdicts(), ""); }

TEST(NoBackoff, a_fixed_wait_is_seen_below_work_of_any_length) {
  EXPECT_EQ(working({10, 400, 30, 250, 90}, {1000, 1001, 1000, 1002, 1000}).verdicts(), "no-backoff likely");
}

// As measured of sleeps of 1000 ms: the thread wakes up in between, for its clock.
TEST(NoBackoff, work_that_goes_on_while_a_client_waits_makes_its_wait_no_shorter) {
  auto message = working({8, 7, 8, 9, 7}, {994, 995, 994, 993, 996}).judge().findings.at(0).message;
  EXPECT_NE(message.find("waited the same 1.0 s before each retry"), message.npos) << message;
}

TEST(MissingDelay, an_attempt_may_cost_work) {
  auto t = working({47, 47, 49, 52, 47, 61, 47}, {0, 1, 0, 0, 2, 0, 1});
  EXPECT_EQ(t.verdicts(), "missing-delay likely");
  EXPECT_NE(t.judge().findings[0].message.find("without the time in which the client's thread was at work"),
            std::string::npos)
      << t.judge().findings[0].message;
}

TEST(MissingDelay, the_work_of_another_thread_is_none_of_the_callers) {
  EXPECT_EQ(working({47, 150, 49, 260, 47, 61, 147}, {0, 1, 0, 0, 2, 0, 1}, true).verdicts(), "");
}

TEST(NoBackoff, two_waits_look_fixed_by_chance) {
  EXPECT_EQ(trial({{505, 503}, {504, 502}}).verdicts(), "note no-jitter likely");
}

TEST(NoBackoff, whatever_grows_is_right) {
  for (auto& gaps : std::vector<Schedule>{{507, 1006, 2003, 4002},                             // exponential
                                          {1000, 2000, 3000},                                  // linear
                                          {1000, 1000, 2000, 3000, 5000},                      // Fibonacci
                                          {100, 200, 400, 800, 1600, 3200, 3200, 3200, 3200},  // capped at its end
                                          {5, 4003, 12006},  // at once, then backed off
                                          {130, 77, 209},    // decorrelated jitter
                                          {316, 387, 330, 179, 357}})
    EXPECT_EQ(trial({gaps}).verdicts(), "") << gaps[1];
}

TEST(NoBackoff, an_immediate_first_retry_hides_no_fixed_delay) {
  EXPECT_EQ(trial({{4, 1003, 1001, 1006, 1004, 1002}}).verdicts(), "no-backoff likely");
}

TEST(NoBackoff, small_jitter_is_told_from_a_fixed_wait_where_the_clock_was_moved_on) {
  EXPECT_EQ(trial({{1000, 1060, 960}}, 503, true).verdicts(), "");
}

TEST(NoBackoff, the_machines_load_does_not_hide_a_fixed_wait) {
  Trial t("P3", "error(503)");
  get(t.reference).answers(200);
  get(t.in_case()).gets_error();
  for (auto load : {4, 180, 95, 310, 7})
    t.in_case().waits(2 * kMillisecond).moved_on(998 * kMillisecond).again(load * kMillisecond).gets_error();
  EXPECT_EQ(t.verdicts(), "no-backoff likely");
}

// Measured of fetch on Node 20: its timer goes on while its thread works, and the first jump comes late.
TEST(NoBackoff, the_work_of_a_thread_whose_timer_goes_on_hides_no_fixed_wait) {
  Trial t("P3", "error(503)");
  get(t.reference).answers(200);
  get(t.in_case()).gets_error();
  struct Gap {
    int works, jumps, rest;
  };
  for (auto [works, jumps, rest] : {Gap{70, 445, 525}, {8, 987, 7}, {10, 992, 6}, {15, 945, 47}, {61, 873, 69}})
    t.in_case().works(works * kMillisecond).moved_on(jumps * kMillisecond).again(rest * kMillisecond).gets_error();
  EXPECT_EQ(t.verdicts(), "no-backoff likely");
}

TEST(NoBackoff, of_who_waits_without_faults_too_until_the_service_is_there_is_none) {
  auto trial = [](const char* method, bool waits) {
    Trial t("P3", "error(503)");
    for (auto* tale : {&t.reference, &t.in_case()}) tale->call("look", method, "/things/lamp");
    if (waits) t.reference.answers(503).again(kSecond).answers(503).again(kSecond);
    t.reference.answers(200);
    for (int i = 0; i < 9; i++) t.in_case().gets_error().again(kSecond);
    t.in_case().gets_error();
    return t.verdicts();
  };
  EXPECT_EQ(trial("GET", true), "");
  EXPECT_EQ(trial("GET", false), "no-backoff likely");
  EXPECT_EQ(trial("POST", true), "no-backoff likely") << "a write is no look";
}

// An outbox of three rows, each with a back-off of its own: while its service says nothing, a row waits for the others'
// time-outs.
TEST(NoBackoff, of_a_worker_whose_other_calls_filled_the_gaps_is_none) {
  auto trial = [](Nanos held) {
    Trial t("P2", "stall");
    t.reference.call("a", "PUT", "/things/a").answers(200);
    auto& tale = t.in_case();
    tale.call("a", "PUT", "/things/a");
    auto first = tale.last().call;
    for (int n = 1; n <= 6; n++) {
      tale.is_held().client_leaves(5 * kSecond);
      for (auto other : {"b", "c"}) {
        auto site = other + std::to_string(n);
        tale.call(site, "PUT", "/things/" + site).is_held().client_leaves(held);
      }
      tale.waits(10 * kSecond - 2 * held).call("a", "PUT", "/things/a");
      tale.last().call = first;
      tale.last().attempt = n + 1;
    }
    tale.is_held().client_leaves(5 * kSecond);
    return t.verdicts();
  };
  EXPECT_EQ(trial(5 * kSecond), "");
  EXPECT_EQ(trial(kSecond), "no-backoff likely");
}

TEST(NoBackoff, a_wait_that_is_too_long_to_be_missing_is_fixed) {
  EXPECT_EQ(trial({Schedule(39, 10)}, 503, true).verdicts(), "no-backoff likely");
}

// 25 ms and a tenth of jitter, a hundred times, by a client whose clock cannot be moved, on a machine that lengthens
// some.
TEST(NoBackoff, a_long_ladder_of_short_waits_is_told_below_load) {
  std::minstd_rand draw(7);
  auto between = [&](double least, double most) { return std::uniform_real_distribution(least, most)(draw); };
  auto ladder = [&](std::size_t gaps, auto wait) {
    Schedule out;
    for (std::size_t n = 0; n < gaps; n++)
      out.push_back(static_cast<int>(wait(n) + between(0, 15) + (n % 7 == 3 ? between(5, 40) : 0)));
    return trial({out});
  };
  auto fixed = [&](std::size_t) { return between(22.5, 27.5); };
  EXPECT_EQ(ladder(99, fixed).verdicts(), "no-backoff likely");
  EXPECT_EQ(ladder(99, [&](std::size_t n) { return 20 + static_cast<double>(n); }).verdicts(), "");
  EXPECT_EQ(ladder(99, [&](std::size_t n) { return std::min(10.0 * static_cast<double>(1 + n), 40.0); }).verdicts(), "")
      << "a back-off that has reached its cap";
  EXPECT_EQ(ladder(99, [&](std::size_t) { return between(15, 90); }).verdicts(), "") << "full jitter";
}

TEST(NoBackoff, jitter_around_one_value_that_never_grows_is_none) {
  Schedule narrow, wide, backed_off, capped, full;
  std::minstd_rand draw(7);
  auto between = [&](double least, double most) {
    return static_cast<int>(1000 * std::uniform_real_distribution(least, most)(draw));
  };
  for (int i = 0; i < 29; i++) {
    narrow.push_back(between(0.8, 1.2));
    wide.push_back(between(1, 2));
    backed_off.push_back(between(0.9, 1.1) * (1 + i) / 2);
    capped.push_back(between(0.5, 1) << std::min(i, 2));
    full.push_back(20 + between(0, 1));
  }
  auto t = trial({narrow}, 503, true);
  EXPECT_EQ(t.verdicts(), "no-backoff likely");
  EXPECT_NE(t.judge().findings[0].message.find(
                "before each retry, after the last failure as after the first (29 gaps in 1 call)"),
            std::string::npos)
      << t.judge().findings[0].message;
  EXPECT_EQ(trial({wide}, 503, true).verdicts(), "no-backoff likely");
  EXPECT_EQ(trial({narrow}).verdicts(), "no-backoff likely") << "in real time too";
  EXPECT_EQ(trial({backed_off}, 503, true).verdicts(), "");
  EXPECT_EQ(trial({capped}, 503, true).verdicts(), "");
  EXPECT_EQ(trial({full}, 503, true).verdicts(), "");
  narrow.resize(9);
  EXPECT_EQ(trial({narrow}, 503, true).verdicts(), "") << "so few may be chance";
}

TEST(NoBackoff, waits_in_which_something_holds_the_clock_are_what_they_were) {
  auto t = trial({{310, 697, 1366, 2853, 4878}});
  t.in_case().run().compressed = true;
  EXPECT_EQ(t.verdicts(), "");
}

TEST(NoBackoff, a_wait_that_the_service_chose_says_nothing) {
  Trial t("P3", "error(429, retry-after=2)");
  get(t.reference).answers(200);
  get(t.in_case()).gets_error(429, 2);
  for (int i = 0; i < 5; i++) t.in_case().again(2005 * kMillisecond).gets_error(429, 2);
  EXPECT_EQ(t.verdicts(), "");
}

TEST(NoBackoff, the_clients_own_time_out_is_no_part_of_the_wait) {
  Trial t("P2", "stall");
  get(t.reference).answers(200);
  get(t.in_case()).is_held().client_leaves(300 * kMillisecond);
  for (int i = 0; i < 5; i++) t.in_case().again(kMillisecond).is_held().client_leaves(300 * kMillisecond);
  EXPECT_EQ(t.verdicts(), "") << "the time-out is fixed, the wait is none";
}

TEST(NoBackoff, a_transport_that_sends_twice_hides_no_fixed_wait_and_makes_none_of_a_growing_one) {
  auto pairs = [](std::vector<int> waits) {
    Trial t("P2", "reset(after-request)");
    get(t.reference).answers(200);
    get(t.in_case()).is_reset();
    for (auto wait : waits) {
      t.in_case().again(kMillisecond).is_reset();
      t.in_case().again(wait * kMillisecond).is_reset();
    }
    return t.verdicts();
  };
  EXPECT_EQ(pairs({1000, 1001, 1002, 1001, 1003}), "no-backoff likely, retry-amplification possible");
  EXPECT_EQ(pairs({1000, 2000, 4000}), "retry-amplification possible");
}

TEST(MissingDelay, on_a_loaded_machine_shows_in_what_the_clock_was_not_moved_on_by) {
  Schedule loaded{380, 25, 61, 38, 60, 11, 49, 36, 29};
  EXPECT_EQ(trial({loaded}).verdicts(), "") << "nobody could tell";
  auto t = trial({loaded});
  t.in_case().run().compressed = true;
  EXPECT_EQ(t.verdicts(), "missing-delay likely");
  EXPECT_NE(t.judge().findings[0].message.find(", and no wait of the client's of 5.0 ms or more was seen in them"),
            std::string::npos);
  t.in_case().run().real_time = {"tool[7] (static)"};
  EXPECT_EQ(t.verdicts(), "") << "its clock may not be one that moves";
}

// As measured of a client that awaits 1, 2, 4 .. 64 ms, while a thread of its own compiled: the clock was never moved.
TEST(MissingDelay, waits_that_grow_are_waits_also_where_the_clock_could_not_be_moved_on_in_them) {
  auto t = trial({{65, 15, 14, 19, 31, 44, 58}});
  t.in_case().run().compressed = true;
  EXPECT_EQ(t.verdicts(), "");
  auto short_ones = trial({{30, 1, 1, 1, 10, 13, 30}});
  short_ones.in_case().run().compressed = true;
  ASSERT_EQ(short_ones.verdicts(), "missing-delay likely");
  auto message = short_ones.judge().findings[0].message;
  EXPECT_EQ(message.find("wait of the client's"), message.npos) << message;
}

TEST(MissingDelay, where_load_explains_most_gaps_it_is_not_judged_and_that_is_said) {
  auto t = trial({{95, 165, 161, 238, 160, 511, 309, 36, 29}});
  t.in_case().run().compressed = true;
  EXPECT_EQ(t.verdicts(), "");
  EXPECT_NE(t.why_not().find("after the first retry are long, and neither the client's clock nor"), std::string::npos)
      << t.why_not();
  EXPECT_TRUE(t.judge().needs_more_runs);
}

TEST(MissingDelay, waits_that_the_clock_was_moved_on_by_are_right_and_no_open_question) {
  auto t = trial({{4000, 12'000}}, 503, true);
  t.in_case().run().compressed = true;
  EXPECT_EQ(t.verdicts(), "");
  EXPECT_EQ(t.why_not(), "");
  EXPECT_FALSE(t.judge().needs_more_runs);
}

// As measured of a client that waits 50 ms each time, below a bundler that was at work.
TEST(MissingDelay, a_short_fixed_wait_in_which_the_clock_could_not_be_moved_is_not_taken_for_none) {
  auto t = trial({{110, 50, 52, 65}, {108, 51, 50, 58}});
  for (auto& tale : t.cases) tale.run().compressed = true;
  EXPECT_EQ(t.verdicts(), "");
  EXPECT_TRUE(t.judge().needs_more_runs);
}

// As measured of axios-retry beside builds on both processors: the clock was not moved in any of these.
TEST(MissingDelay, where_every_gap_of_six_is_long_they_were_waited) {
  auto t = trial({{210, 420, 840}, {230, 410, 870}, {220, 450, 800}});
  for (auto& tale : t.cases) tale.run().compressed = true;
  EXPECT_EQ(t.verdicts(), "");
  EXPECT_EQ(t.why_not(), "");
}

TEST(MissingDelay, in_real_time_gaps_that_work_fills_are_left_out_and_say_nothing_of_a_wait) {
  EXPECT_EQ(working({47, 47, 47, 47, 47, 47, 47, 47}, {1, 2, 1, 40, 1, 1, 1, 2}).verdicts(), "missing-delay likely");
  auto loaded = working({47, 47, 47, 47, 47, 47, 47, 47}, {20, 70, 30, 40, 25, 1, 60, 33});
  EXPECT_EQ(loaded.verdicts(), "");
  EXPECT_TRUE(loaded.judge().needs_more_runs);
  auto waiting = working({47, 47, 47, 47, 47, 47, 47, 47}, {200, 205, 400, 800, 1600, 3200, 6400, 9000});
  EXPECT_EQ(waiting.verdicts(), "");
  EXPECT_EQ(waiting.why_not(), "");
}

TEST(MissingDelay, full_jitter_near_zero_is_seen_where_the_clock_was_moved_on) {
  EXPECT_EQ(trial({{60, 21}, {23, 19}, {20, 17}, {9, 48}, {31, 7}, {12, 33}}, 503, true).verdicts(), "");
}

TEST(MissingDelay, a_client_that_waits_on_one_status_and_not_on_another_is_judged_by_each) {
  Trial t("P3", "error(500)");
  get(t.reference).answers(200);
  tell(t.in_case(), {4, 5, 4, 3, 2, 4, 5}, 500);
  tell(t.one_more(), {500, 1000, 2000}, 503);
  EXPECT_EQ(t.verdicts(), "missing-delay likely");
}

TEST(MissingDelay, an_answer_that_said_when_to_come_again_hides_none) {
  Trial t("P3", "error(503, retry-after=2)");
  get(t.reference).answers(200);
  get(t.in_case()).gets_error(503, 2);
  for (int i = 0; i < 7; i++) t.in_case().again(2002 * kMillisecond).gets_error(503, 2);
  tell(t.one_more(), {1, 1, 1, 1, 1, 1, 1});
  EXPECT_EQ(t.verdicts(), "missing-delay likely");
}

Trial told(int seconds, const Schedule& gaps, RetryAfter as = RetryAfter::seconds) {
  Trial t("P3", "error(429, retry-after)");
  get(t.reference).answers(200);
  get(t.in_case()).gets_error(429, seconds, as);
  for (auto gap : gaps) t.in_case().again(gap * kMillisecond).gets_error(429, seconds, as);
  return t;
}

TEST(IgnoresRetryAfter, who_comes_earlier_is_certain_and_who_waits_or_gives_up_is_right) {
  EXPECT_EQ(told(2, {106, 206}).verdicts(), "ignores-retry-after certain");
  EXPECT_EQ(told(2, {2005, 2003}).verdicts(), "");
  EXPECT_EQ(told(2, {2500, 4800}).verdicts(), "") << "its own delay on top";
  EXPECT_EQ(told(90, {}).verdicts(), "") << "it gave up";
  EXPECT_EQ(told(2, {30, 4003}).verdicts(), "ignores-retry-after certain") << "the first retry at once";
}

TEST(IgnoresRetryAfter, a_client_that_waits_anyway_is_found_out_by_a_larger_value) {
  auto t = told(2, {2500, 4400});
  t.one_more();
  get(t.in_case()).gets_error(429, 90);
  for (auto gap : {2500, 4400}) t.in_case().again(gap * kMillisecond).gets_error(429, 90);
  EXPECT_EQ(t.verdicts(), "ignores-retry-after certain");
}

TEST(IgnoresRetryAfter, who_listens_may_have_a_limit_that_leaves_the_service_room) {
  auto waits = [](std::vector<int> when_told_two, int when_told_ninety) {
    auto t = told(2, std::move(when_told_two));
    get(t.one_more()).gets_error(429, 90);
    t.in_case().again(when_told_ninety * kMillisecond).gets_error(429, 90);
    return t.verdicts();
  };
  EXPECT_EQ(waits({2008, 2006}, 30'000), "");
  EXPECT_EQ(waits({2008, 2006}, 15'000), "ignores-retry-after certain") << "too short a limit";
  EXPECT_EQ(waits({25'000, 25'000}, 25'000), "ignores-retry-after certain") << "it waits so long anyway";
}

TEST(IgnoresRetryAfter, says_how_far_a_client_obeys) {
  auto message = [](Trial t) { return t.judge().findings.at(0).message; };
  auto capped = told(2, {2008, 2006});
  get(capped.one_more()).gets_error(429, 90);
  capped.in_case().again(5064 * kMillisecond).gets_error(429, 90);
  auto text = message(std::move(capped));
  EXPECT_NE(text.find("as long as it is told up to 2.0 s, and not where it is told more"), std::string::npos) << text;
  EXPECT_EQ(told(90, {25'000}).verdicts(), "ignores-retry-after certain");
  text = message(told(10, {7'600, 8'500}));
  EXPECT_NE(text.find("a third early"), std::string::npos) << text;
  auto dates = told(2, {2008});
  get(dates.one_more()).gets_error(429, 3, RetryAfter::date);
  dates.in_case().again(100 * kMillisecond).gets_error(429, 3, RetryAfter::date);
  text = message(std::move(dates));
  EXPECT_NE(text.find("It obeys seconds, and not a date"), std::string::npos) << text;
}

// Told once, and then nothing: 17 s are cut short for a test's sake, or were never read.
TEST(IgnoresRetryAfter, a_limit_is_told_from_a_deaf_ear_by_what_is_waited_when_nothing_is_told) {
  auto then_nothing = [](Nanos told_milliseconds, Nanos unasked_milliseconds) {
    Trial t("R1", "error(503, retry-after=17) x 1, then error(503) x 1, then pass");
    get(t.reference).answers(200);
    get(t.in_case()).gets_error(503, 17);
    t.in_case().again(told_milliseconds * kMillisecond).gets_error();
    t.in_case().again(unasked_milliseconds * kMillisecond).answers(200);
    return t.verdicts();
  };
  EXPECT_EQ(then_nothing(100, 20), "");
  EXPECT_EQ(then_nothing(2000, 110), "");
  EXPECT_EQ(then_nothing(100, 200), "ignores-retry-after certain");
  EXPECT_EQ(then_nothing(110, 100), "ignores-retry-after certain");
  EXPECT_EQ(then_nothing(17, 0), "ignores-retry-after certain") << "seconds that were taken for milliseconds";
}

TEST(IgnoresRetryAfter, what_is_waited_in_another_run_where_nothing_is_told_makes_no_limit) {
  auto t = told(90, {5283, 5781});
  get(t.one_more()).gets_error(503);
  for (auto gap : {106, 107}) t.in_case().again(gap * kMillisecond).gets_error(503);
  EXPECT_EQ(t.verdicts(), "ignores-retry-after certain");
}

TEST(IgnoresRetryAfter, what_the_clients_thread_worked_at_before_it_came_again_is_no_obedience) {
  for (auto [worked, said] : {std::pair(0, ""), std::pair(110, "ignores-retry-after certain")}) {
    Trial t("R1", "error(503, retry-after=17) x 1, then error(503) x 1, then pass");
    get(t.reference).answers(200);
    get(t.in_case()).gets_error(503, 17).works(worked * kMillisecond);
    t.in_case().again((130 - worked) * kMillisecond).gets_error();
    t.in_case().again(20 * kMillisecond).answers(200);
    EXPECT_EQ(t.verdicts(), said) << worked;
  }
}

TEST(IgnoresRetryAfter, a_date_has_a_grain_of_a_second) {
  EXPECT_EQ(told(3, {2121, 3006}, RetryAfter::date).verdicts(), "");
  EXPECT_EQ(told(3, {1500}, RetryAfter::date).verdicts(), "ignores-retry-after certain");
}

TEST(IgnoresRetryAfter, the_services_own_header_counts_too_in_milliseconds) {
  Trial t("P3", "error(503) x 1, then pass");
  get(t.reference).answers(200);
  get(t.in_case()).gets_error();
  t.in_case().again(kSecond).answers(429, {}, {{"x-ms-retry-after-ms", "1500"}});
  t.in_case().again(300 * kMillisecond).answers(200).passes();
  EXPECT_EQ(t.verdicts(), "ignores-retry-after certain");
}

TEST(IgnoresRetryAfter, another_host_was_not_told_anything) {
  auto t = told(2, {1});
  t.in_case().last().host = "127.0.0.1:9001";
  EXPECT_EQ(t.verdicts(), "");
}

TEST(NoBackoff, the_pace_of_a_loop_in_the_test_is_the_tests) {
  for (bool by_test : {false, true}) {
    auto t = trial({Schedule(8, 500)});
    int run = 2;
    for (auto& e : t.in_case().run().exchanges) {
      e.tag.site = trace::CallSite{"job.py", 24, "job"};
      e.tag.stack = by_test ? "1:77," + std::to_string(run++) + ":f1813fa4" : "1:77,2:f1813fa4";  // job.py:24:job
    }
    EXPECT_EQ(t.verdicts().contains("no-backoff"), !by_test) << t.verdicts();
  }
}

Trial waiting(int status) {
  Trial t("P3", "error");
  t.reference.call("wait_ready", "GET", "/health").answers(200);
  t.in_case().call("wait_ready", "GET", "/health").gets_error(status);
  for (int i = 0; i < 12; i++) t.in_case().again(1005 * kMillisecond).gets_error(status);
  return t;
}

TEST(NoBackoff, of_a_read_that_says_it_waits_is_possible) {
  EXPECT_NE(waiting(503).verdicts().find("no-backoff possible"), std::string::npos) << waiting(503).verdicts();
  EXPECT_NE(waiting(400).verdicts().find("retries-permanent-error possible"), std::string::npos);
}

// A function that looks at a mill until it turns, and has its token asked for before that.
Trial token_first(int looks, int status) {
  Trial t("P3", "error");
  auto from = [](Tale& tale) { tale.last().tag.site->callers = "src/mills.py:9:turning"; };
  auto look = [&](Tale& tale) {
    tale.call("get", "GET", "/mills/m1").answers(200);
    from(tale);
  };
  t.reference.call("token", "POST", "/token").answers(200);
  from(t.reference);
  for (int i = 0; i < looks; i++) look(t.reference);
  t.in_case().call("token", "POST", "/token").gets_error(status);
  from(t.in_case());
  for (int i = 0; i < 12; i++) {
    t.in_case().again(1005 * kMillisecond).gets_error(status);
    from(t.in_case());
  }
  return t;
}

TEST(NoBackoff, of_what_is_sent_before_each_look_of_a_poll_is_possible) {
  EXPECT_NE(token_first(4, 503).verdicts().find("no-backoff possible"), std::string::npos);
  EXPECT_NE(token_first(4, 400).verdicts().find("retries-permanent-error possible"), std::string::npos);
  EXPECT_NE(token_first(1, 503).verdicts().find("no-backoff likely"), std::string::npos) << "one look is no poll";
  EXPECT_NE(token_first(1, 400).verdicts().find("retries-permanent-error likely"), std::string::npos);
}

TEST(RetriesPermanentError, is_told_by_the_error_that_nobody_waits_to_pass_where_there_is_one) {
  auto plain = trial({{1, 1, 1}}, 422), waits = trial({{1, 1, 1}}, 404);
  waits.in_case().run().id = 9;
  waits.row.plan = "error(404)";
  ComparedCase all[] = {plain.compared(), waits.compared()};
  auto judgement = oracles::judge(all);
  ASSERT_EQ(judgement.findings.size(), 1u);
  EXPECT_EQ(judgement.findings[0].confidence, trace::Confidence::likely);
  EXPECT_NE(judgement.findings[0].message.find("was answered 422"), std::string::npos) << judgement.findings[0].message;
}

TEST(MissingCap, two_days_of_the_clients_time_are_as_good_as_1000_attempts) {
  Schedule gaps(50, 3'600'000);
  EXPECT_EQ(trial({gaps}).verdicts(), "missing-cap likely, no-backoff likely");
  Schedule day{5'000, 300'000, 1'800'000, 7'200'000, 18'000'000, 36'000'000, 36'000'000};
  EXPECT_EQ(trial({day}).verdicts(), "") << "eight attempts over a day, and then it gave up";
  Schedule capped{1000, 2000, 4000, 8000, 16000, 32000, 64000, 128000, 256000, 512000};
  EXPECT_EQ(trial({capped}).verdicts(), "") << "a cap of 17 minutes is one";
  auto obedient = told(90, {});
  for (int i = 0; i < 30; i++) obedient.in_case().again(90 * kSecond + i * kSecond).gets_error(429, 90);
  EXPECT_EQ(obedient.verdicts(), "") << "45 minutes that the service asked for";
}

TEST(MissingCap, a_call_from_which_company_lifted_its_fault_after_half_an_hour_is_looked_at_alone) {
  auto recovers_after = [](Nanos last, std::string case_id) {
    auto t = trial({Schedule{60'000, 300'000, 900'000}});
    t.in_case().again(last).answers(200);
    t.in_case().run().case_id = std::move(case_id);
    auto said = t.verdicts();
    return said.find("missing-cap possible") != said.npos;
  };
  EXPECT_TRUE(recovers_after(1800 * kSecond, ""));
  EXPECT_FALSE(recovers_after(60 * kSecond, ""));
  EXPECT_FALSE(recovers_after(1800 * kSecond, "c1")) << "alone it did recover";
}

TEST(NoJitter, two_calls_that_wait_the_very_same_are_a_note) {
  EXPECT_EQ(trial({{1000, 2000, 4000}, {1001, 2003, 4002}}).verdicts(), "note no-jitter likely");
  EXPECT_EQ(trial({{1000, 2000, 4000}, {870, 2150, 3600}}).verdicts(), "");
  EXPECT_EQ(trial({{1000, 2000, 4000}, {1001, 2003, 4002}, {870, 2150, 3600}}).verdicts(), "") << "two by chance";
}

// As measured of 40, 80 and 160 ms on a machine that others kept busy: the thread was at work while its timer ran, and
// the clock was moved on late or not at all.
struct Kept {
  int gap, worked, moved;
};
Trial kept_busy(const std::vector<std::vector<Kept>>& calls) {
  Trial t("P2", "error(503)");
  get(t.reference).answers(200);
  bool first = true;
  for (auto& gaps : calls) {
    auto& tale = std::exchange(first, false) ? t.in_case() : t.one_more();
    tale.run().compressed = true;
    get(tale).gets_error();
    for (auto& g : gaps) {
      tale.works(g.worked * kMillisecond);
      if (g.moved) tale.moved_on(g.moved * kMillisecond);
      tale.again((g.gap - g.worked - g.moved) * kMillisecond).gets_error();
    }
  }
  return t;
}
TEST(NoBackoff, waits_that_pass_in_real_time_while_the_clock_is_kept_from_being_moved_on_are_not_one_and_the_same) {
  EXPECT_EQ(
      kept_busy({{{49, 27, 0}, {82, 29, 0}, {161, 51, 25}}, {{51, 39, 0}, {87, 46, 0}, {166, 38, 20}}}).verdicts(), "");
}
TEST(NoBackoff, a_few_waits_that_the_clock_does_not_show_hide_no_fixed_one_of_ten_milliseconds) {
  std::vector<Kept> ladder(12, Kept{11, 0, 10});
  ladder[3].moved = ladder[7].moved = ladder[8].moved = 0;
  EXPECT_TRUE(kept_busy({ladder}).verdicts().ends_with("no-backoff likely"));
  auto growing = ladder;
  for (std::size_t i = 0; i < growing.size(); i++)
    growing[i].gap *= 1 + static_cast<int>(i), growing[i].moved *= 1 + static_cast<int>(i);
  EXPECT_EQ(kept_busy({growing}).verdicts(), "");
}
TEST(NoBackoff, work_in_which_the_clock_was_moved_on_by_nothing_is_no_wait) {
  EXPECT_EQ(kept_busy({std::vector<Kept>(8, {49, 48, 0})}).verdicts(), "missing-delay likely");
}
TEST(MissingDelay, work_in_good_part_of_a_gap_hides_a_wait_from_the_clock) {
  auto one = std::vector<Kept>{{48, 27, 0}, {55, 37, 0}, {43, 27, 0}, {44, 30, 0}, {50, 38, 0}, {47, 29, 0}};
  EXPECT_EQ(kept_busy({one, one}).verdicts(), "");
}

TEST(MissingCap, the_same_asked_for_ever_with_other_credentials_is_likely_and_a_poll_of_a_service_is_not) {
  auto asked = [](int times, int status, Nanos pause, bool till_it_works = true) {
    Trial t("P3", "error(transient)");
    auto ask = [](Tale& tale) -> Tale& { return tale.rpc("dossier", "/vault.Vault/GetDossier"); };
    ask(t.reference).answers(200);
    for (int i = 0; i < times; i++) {
      t.in_case().waits(pause);
      ask(t.in_case()).gets_status(status);
    }
    if (till_it_works) ask(t.in_case()).answers(200).passes();
    return t.verdicts();
  };
  constexpr int kUnavailable = trace::grpc_code::unavailable, kUnknown = trace::grpc_code::unauthenticated;
  EXPECT_EQ(asked(151, kUnknown, 200 * kMillisecond), "missing-cap likely");
  EXPECT_EQ(asked(150, kUnknown, 200 * kMillisecond), "");
  EXPECT_EQ(asked(151, kUnavailable, 2 * kMillisecond), "missing-cap likely");
  EXPECT_EQ(asked(151, kUnavailable, 200 * kMillisecond), "") << "who waits for a service looks so often";
  EXPECT_EQ(asked(200, kUnavailable, 60 * kMillisecond, false), "") << "it has an end of its own";
}

TEST(MissingCap, of_looks_that_were_ended_within_a_minute_is_possible) {
  auto looked = [](int usual, Nanos pause) {
    Trial t("P3", "error(transient)");
    for (int i = 0; i < usual; i++)
      t.reference.waits(pause).call("look", "GET", "/jobs/1").answers(200, i + 1 < usual ? "{}" : R"({"done":true})");
    for (int i = 0; i < 1101; i++) t.in_case().waits(pause).call("look", "GET", "/jobs/1").gets_error();
    t.in_case().stops(trace::Stop::capped);
    return t.verdicts();
  };
  EXPECT_EQ(looked(2, 20 * kMillisecond), "missing-cap possible") << "its time may be up after half a minute";
  EXPECT_EQ(looked(2, 100 * kMillisecond), "missing-cap likely");
}

TEST(NoBackoff, is_not_told_of_what_will_not_pass) {
  for (auto [status, verdict] : {std::pair(503, true), {400, false}}) {
    Trial t("N1", "error");
    t.reference.call("get", "GET", "/a").answers(200);
    t.in_case().call("get", "GET", "/a").gets_error(status);
    for (int i = 0; i < 8; i++) t.in_case().again(200 * kMillisecond).gets_error(status);
    t.in_case().fails({thrown("app.Error", "HTTP " + std::to_string(status))});
    EXPECT_EQ(t.verdicts().contains("no-backoff"), verdict) << t.verdicts();
  }
}

TEST(ToldToWait, a_client_of_grpc_is_not_told_what_a_status_of_http_says) {
  trace::Exchange e;
  e.fired = true;
  e.ending = trace::Ending::answered;
  e.client_status = 429;
  e.fault = {.name = trace::FaultName::error, .status = 429, .retry = trace::RetryAfter::seconds, .retry_after = 2};
  EXPECT_TRUE(told_to_wait(e));
  e.grpc.is = true;
  EXPECT_FALSE(told_to_wait(e));
}

}  // namespace
}  // namespace retrial::oracles

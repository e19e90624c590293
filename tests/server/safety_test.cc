#include "proxy/server/safety.h"

#include <gtest/gtest.h>

namespace retrial::proxy {
namespace {

struct SafetyOfAServer : ::testing::Test {
  ManualClock clock;
  Meters meters{1};
  std::unique_ptr<Safety> safety;

  void begin(SafetySettings settings) { safety = std::make_unique<Safety>(settings, clock); }
  void requests(int n, int status = 200, Nanos took = kMillisecond, bool fired = false) {
    trace::Exchange e;
    e.service = "10.0.0.1:80";
    e.service_status = e.client_status = status;
    e.begun = kSecond;
    e.request_read = kSecond;
    e.answered = status ? kSecond + took : 0;
    e.ending = status ? trace::Ending::answered : trace::Ending::reset;
    e.fired = fired;
    for (int i = 0; i < n; i++) meters.of(0).over(e);
  }
  int taken(int tries, std::string_view service = "10.0.0.1:80") {
    int all = 0;
    for (int i = 0; i < tries; i++) all += safety->take(service, &meters);
    return all;
  }
  std::optional<std::string> look() { return safety->look(meters.read()); }
};

TEST_F(SafetyOfAServer, observes_until_it_is_armed_and_is_off_again_once_it_is_halted) {
  begin({.armed = false});
  EXPECT_FALSE(safety->on());
  EXPECT_EQ(taken(1), 0);
  safety->resume(0);
  EXPECT_TRUE(safety->on());
  EXPECT_EQ(taken(5), 5);
  safety->halt("enough");
  EXPECT_FALSE(safety->on());
  EXPECT_EQ(taken(1), 0);
  EXPECT_EQ(safety->state().why, "enough");
}

TEST_F(SafetyOfAServer, ends_by_itself_where_nobody_renews_it_though_nobody_looks) {
  begin({.ttl = 60 * kSecond});
  clock.advance(59 * kSecond);
  EXPECT_EQ(taken(1), 1);
  clock.advance(kSecond);
  EXPECT_EQ(taken(1), 0) << "before look() has seen it";
  auto why = look();
  ASSERT_TRUE(why);
  EXPECT_EQ(*why, "its time of 1 min is over, and nobody renewed it");
  EXPECT_EQ(safety->state().mode, Safety::Mode::halted);
}

TEST_F(SafetyOfAServer, goes_on_for_as_long_as_it_is_renewed) {
  begin({.ttl = 60 * kSecond});
  for (int i = 0; i < 10; i++) {
    clock.advance(59 * kSecond);
    EXPECT_FALSE(look());
    safety->resume(0);
  }
  EXPECT_EQ(taken(1), 1);
  safety->resume(5 * kSecond);
  clock.advance(5 * kSecond);
  EXPECT_EQ(taken(1), 0) << "for less than the settings say";
}

TEST_F(SafetyOfAServer, lets_a_service_bear_so_many_faults_a_minute) {
  begin({.bounds = {.faults_per_minute = 3}});
  EXPECT_EQ(taken(10), 3);
  EXPECT_EQ(taken(10, "10.0.0.2:80"), 3) << "each service has its own";
  clock.advance(59 * kSecond);
  EXPECT_EQ(taken(10), 0);
  clock.advance(kSecond);
  EXPECT_EQ(taken(10), 3);
  EXPECT_EQ(safety->refused(),
            (std::vector<std::string>{"10.0.0.1:80: 24 faults were withheld: it may bear 3 faults a minute",
                                      "10.0.0.2:80: 7 faults were withheld: it may bear 3 faults a minute"}));
  EXPECT_TRUE(safety->refused().empty()) << "told once";
}

TEST_F(SafetyOfAServer, lets_a_service_bear_a_share_of_its_requests_and_none_before_there_are_any) {
  begin({.bounds = {.faults_share = policies::kPercent}});
  EXPECT_EQ(taken(10), 0);
  requests(99);
  EXPECT_EQ(taken(10), 0);
  requests(201);
  EXPECT_EQ(taken(10), 3);
}

TEST_F(SafetyOfAServer, has_bounds_of_each_service_over_those_of_all) {
  begin({.bounds = {.faults_per_minute = 3}, .of = {{"10.0.0.1:80", {.faults_per_minute = 1}}}});
  EXPECT_EQ(taken(10), 1);
  EXPECT_EQ(taken(10, "10.0.0.2:80"), 3);
}

TEST_F(SafetyOfAServer, halts_where_a_service_fails_by_itself_more_often_than_it_may) {
  begin({.bounds = {.own_errors = 10 * policies::kPercent}});
  look();
  requests(90);
  requests(10, 503);
  EXPECT_FALSE(look()) << "10 % is not more than 10 %";
  requests(1, 0);
  auto why = look();
  ASSERT_TRUE(why);
  EXPECT_EQ(*why, "10.0.0.1:80: 11 of its 101 exchanges of the last minute failed by themselves, more than 10%");
  EXPECT_FALSE(safety->on());
}

TEST_F(SafetyOfAServer, does_not_count_what_we_did_against_a_service) {
  begin({.bounds = {.own_errors = 10 * policies::kPercent}});
  requests(100, 0, 0, true);
  EXPECT_FALSE(look());
}

TEST_F(SafetyOfAServer, judges_no_service_by_a_handful_of_requests) {
  begin({.bounds = {.own_errors = 10 * policies::kPercent}});
  requests(19, 500);
  EXPECT_FALSE(look());
}

TEST_F(SafetyOfAServer, forgets_after_a_minute_what_went_wrong_before) {
  begin({.armed = false, .bounds = {.own_errors = 10 * policies::kPercent}});
  requests(100, 500);
  for (int i = 0; i < 14; i++) {
    EXPECT_FALSE(look());
    clock.advance(5 * kSecond);
  }
  requests(100);
  safety->resume(0);
  EXPECT_FALSE(look());
}

TEST_F(SafetyOfAServer, halts_where_a_tenth_of_the_answers_takes_longer_than_it_may) {
  begin({.bounds = {.own_latency = 100 * kMillisecond}});
  requests(90);
  requests(10, 200, 300 * kMillisecond);
  EXPECT_FALSE(look());
  requests(2, 200, 300 * kMillisecond);
  auto why = look();
  ASSERT_TRUE(why);
  EXPECT_EQ(*why, "10.0.0.1:80: 12 of its 102 answers of the last minute took longer than 100 ms");
}

TEST_F(SafetyOfAServer, goes_by_its_own_clock_alone_so_that_a_wall_clock_that_jumps_changes_nothing) {
  struct Jumping final : Clock {
    Nanos now() const override { return kSecond; }
    Nanos wall() const override { return walls += 3600 * kSecond; }
    mutable Nanos walls = 0;
  } jumping;
  Safety other({.ttl = 60 * kSecond}, jumping);
  for (int i = 0; i < 10; i++) EXPECT_TRUE(other.take("s", nullptr));
  EXPECT_FALSE(other.look({}));
}

// What we refuse says nothing of a service that was not asked.
TEST_F(SafetyOfAServer, is_not_halted_by_what_the_proxy_itself_refuses) {
  begin({.bounds = {.own_errors = 50 * policies::kPercent}});
  look();
  trace::Exchange e;
  e.service = "192.0.2.7:80";
  e.ending = trace::Ending::answered;
  for (int status : {403, 413, 503}) {
    e.client_status = status;
    for (int i = 0; i < 30; i++) meters.of(0).over(e);
  }
  EXPECT_FALSE(look());
  EXPECT_EQ(meters.read().front().counts.own_errors, 0u);
  EXPECT_EQ(meters.read().front().counts.refused, 90u);
  e.client_status = 502;
  for (int i = 0; i < 30; i++) meters.of(0).over(e);
  EXPECT_EQ(look().value_or(""),
            "192.0.2.7:80: 30 of its 30 exchanges of the last minute failed by themselves, more than 50%");
}

TEST(Meter, counts_services_beyond_the_most_together) {
  Meter meter;
  trace::Exchange e;
  for (std::size_t i = 0; i < Meter::kMostServices + 50; i++) {
    e.service = "10.0.0.1:" + std::to_string(i);
    meter.over(e);
  }
  std::vector<Meter::OfService> all;
  meter.read(all);
  EXPECT_EQ(all.size(), Meter::kMostServices + 1);
  EXPECT_EQ(all.back().service, Meter::kOthers);
  EXPECT_EQ(all.back().counts.requests, 50u);
}

TEST(Buckets, are_told_by_times_that_lie_in_them) {
  for (Nanos time :
       {Nanos{0}, Nanos{1023}, Nanos{1024}, Nanos{5000}, Nanos{1'000'000}, Nanos{123'456'789}, 40 * kSecond}) {
    auto at = bucket_of(time);
    EXPECT_LT(time, least_above(at));
    if (at > 0) {
      EXPECT_GE(time, least_above(at - 1));
    }
    EXPECT_LE(least_above(at), time * 5 / 4 + 1024) << time;
  }
  for (std::size_t i = 1; i < kTimeBuckets; i++) EXPECT_LT(least_above(i - 1), least_above(i));
}

}  // namespace
}  // namespace retrial::proxy

#include "campaign/fleet/clocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "campaign/fleet/sightings.h"

namespace retrial::campaign {
namespace {

constexpr Nanos kStart = 1'750'000'000 * kSecond;

// A chain of services, each with a sidecar whose clock is wrong in its own way: exchanges between neighbours, each with
// a way to go that differs and is not the same in both directions.
struct Chain {
  explicit Chain(std::size_t members) : skew(members), pace(members) {
    for (auto& s : skew) s = std::uniform_int_distribution<Nanos>(-kSecond, kSecond)(random);
  }
  Nanos shown(std::size_t clock, Nanos time) const {
    return time + skew[clock] + static_cast<Nanos>(pace[clock] * static_cast<double>(time - kStart));
  }
  Nanos between(Nanos least, Nanos most) { return std::uniform_int_distribution<Nanos>(least, most)(random); }
  void talk(std::size_t from, std::size_t to, Nanos at) {
    auto there = at + between(50'000, 2 * kMillisecond);
    auto work = between(kMillisecond, 20 * kMillisecond);
    auto back = there + work + between(50'000, 5 * kMillisecond);
    auto key = ++keys * 0x9e3779b97f4a7c15ull;
    seen.push_back({key, static_cast<std::uint32_t>(from), shown(from, at), shown(from, back)});
    seen.push_back({key, static_cast<std::uint32_t>(to), shown(to, there), shown(to, there + work)});
  }
  void talk_all(int times, Nanos every) {
    for (int n = 0; n < times; n++)
      for (std::size_t i = 0; i + 1 < skew.size(); i++) talk(i, i + 1, kStart + n * every);
  }
  std::mt19937_64 random{7};
  std::vector<Nanos> skew;
  std::vector<double> pace;  // how much too fast
  std::uint64_t keys = 0;
  std::vector<Sighting> seen;
};

// Two clocks, read at the same time, differ by no more than is said.
void hold(const FleetClocks& clocks, const Chain& chain, Nanos time) {
  auto fleet = std::ranges::find_if(clocks.all(), [&](auto& c) { return &clocks.all()[c.above] == &c; });
  ASSERT_NE(fleet, clocks.all().end());
  auto root = static_cast<std::size_t>(fleet - clocks.all().begin());
  for (std::size_t i = 0; i < chain.skew.size(); i++) {
    ASSERT_TRUE(clocks.all()[i].tied) << i;
    auto off = std::abs(clocks.of(i, chain.shown(i, time)) - chain.shown(root, time));
    EXPECT_LE(off, clocks.all()[i].error) << i;
  }
}

TEST(FleetClocks, are_off_by_no_more_than_they_say) {
  Chain chain(12);
  chain.talk_all(200, 100 * kMillisecond);
  FleetClocks clocks(12, chain.seen);
  EXPECT_EQ(clocks.shared(), 200u * 11);
  EXPECT_EQ(clocks.contradicted(), 0u);
  hold(clocks, chain, kStart + 10 * kSecond);
  for (auto& clock : clocks.all()) EXPECT_LT(clock.error, 11 * kMillisecond) << "far less than they are apart";
}

TEST(FleetClocks, both_directions_narrow_each_other) {
  Chain one(2), both(2);
  for (int n = 0; n < 100; n++) one.talk(0, 1, kStart + n * kSecond);
  both.seen = one.seen;
  both.skew = one.skew;
  both.keys = one.keys;
  for (int n = 0; n < 100; n++) both.talk(1, 0, kStart + n * kSecond);
  FleetClocks narrow(2, both.seen), wide(2, one.seen);
  hold(narrow, both, kStart);
  auto error = [](const FleetClocks& c) { return std::max(c.all()[0].error, c.all()[1].error); };
  EXPECT_LE(error(narrow), error(wide));
}

TEST(FleetClocks, that_drift_are_followed_in_steps) {
  Chain chain(2);
  chain.pace = {0, 40e-6};  // 40 ms in 1000 s: more than the way takes
  for (int n = 0; n < 5000; n++) chain.talk(0, 1, kStart + n * 200 * kMillisecond);
  FleetClocks clocks(2, chain.seen);
  auto& moved = clocks.all()[clocks.all()[0].above == 0 ? 1 : 0];
  EXPECT_GT(moved.steps.size(), 100u);
  EXPECT_LT(moved.error, 4 * kMillisecond);
  EXPECT_EQ(clocks.contradicted(), 0u);
  for (Nanos at = 0; at < 999 * kSecond; at += kSecond) {
    auto off = std::abs(clocks.of(0, chain.shown(0, kStart + at)) - clocks.of(1, chain.shown(1, kStart + at)));
    EXPECT_LE(off, moved.error) << at;
  }
}

TEST(FleetClocks, one_that_was_set_is_another_from_then_on) {
  Chain chain(2);
  for (int n = 0; n < 50; n++) chain.talk(0, 1, kStart + n * kSecond);
  chain.skew[1] += 3 * kSecond;
  for (int n = 50; n < 100; n++) chain.talk(0, 1, kStart + n * kSecond);
  FleetClocks clocks(2, chain.seen);
  EXPECT_EQ(clocks.contradicted(), 0u);
  hold(clocks, chain, kStart + 90 * kSecond);
}

TEST(FleetClocks, a_few_exchanges_that_contradict_all_others_are_left_out_and_counted) {
  Chain chain(2);
  chain.talk_all(100, kSecond);
  chain.seen.push_back({1, 0, kStart + 50 * kSecond, kStart + 51 * kSecond});
  chain.seen.push_back({1, 1, kStart + 80 * kSecond, kStart + 80 * kSecond + 1});
  FleetClocks clocks(2, chain.seen);
  EXPECT_EQ(clocks.contradicted(), 1u);
  hold(clocks, chain, kStart + 70 * kSecond);
}

TEST(FleetClocks, what_shares_nothing_keeps_its_own_time_and_says_so) {
  Chain chain(3);
  for (int n = 0; n < 10; n++) chain.talk(0, 1, kStart + n * kSecond);
  FleetClocks clocks(3, chain.seen);
  EXPECT_FALSE(clocks.all()[2].tied);
  EXPECT_EQ(clocks.of(2, kStart), kStart);
  EXPECT_TRUE(clocks.all()[0].tied && clocks.all()[1].tied);
}

TEST(FleetClocks, an_id_that_a_member_saw_twice_proves_nothing) {
  std::vector<Sighting> seen{
      {5, 0, kStart, kStart + 100}, {5, 0, kStart + 200, kStart + 300}, {5, 1, kStart, kStart + 9}};
  FleetClocks clocks(2, seen);
  EXPECT_EQ(clocks.shared(), 0u);
}

TEST(Steps, of_no_bounds_are_none) {
  std::size_t contradicted = 0;
  EXPECT_TRUE(steps_of({}, contradicted).empty());
  auto one = steps_of({{.at = 3, .low = -10, .high = 20}}, contradicted);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].offset, 5);
  EXPECT_EQ(one[0].error, 16);
  EXPECT_EQ(contradicted, 0u);
}

TEST(Sightings, are_the_same_for_both_sides_and_no_more_than_they_may_be) {
  auto exchange = [](int n) {
    trace::Exchange e;
    e.method = "GET";
    e.target = "/a?side=" + std::to_string(n);
    e.request_headers = {{"X-Request-Id", "id-" + std::to_string(n)}};
    e.begun = 1;
    e.answered = 2;
    return e;
  };
  Sightings sightings(100);
  for (int n = 0; n < 1000; n++) sightings.take(0, exchange(n));
  for (int n = 0; n < 1000; n++) sightings.take(1, exchange(n));
  auto all = sightings.give();
  EXPECT_LE(all.size(), 100u);
  EXPECT_GT(all.size(), 20u);
  std::size_t pairs = 0;
  for (auto& one : all)
    pairs += std::ranges::count_if(all, [&](auto& other) { return other.key == one.key && other.clock != one.clock; });
  EXPECT_EQ(pairs, all.size()) << "each is seen by both";
}

TEST(SharedKey, is_of_the_applications_traceparent_else_of_x_request_id) {
  trace::Exchange e;
  e.method = "GET";
  e.target = "/a?x=1";
  EXPECT_FALSE(shared_key(e));
  e.request_headers = {{"x-request-id", "one"}};
  auto by_id = shared_key(e);
  ASSERT_TRUE(by_id);
  e.request_headers.push_back({"traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"});
  auto by_trace = shared_key(e);
  EXPECT_NE(by_id, by_trace);
  e.request_headers[0].value = "two";
  EXPECT_EQ(shared_key(e), by_trace);
  e.method = "PUT";
  EXPECT_NE(shared_key(e), by_trace);
}

}  // namespace
}  // namespace retrial::campaign

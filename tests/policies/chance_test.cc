#include "policies/chance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "policies/fault_plan.h"

namespace retrial::policies {
namespace {

// Random123's own known answers for philox4x32-10.
TEST(Chance, is_philox_as_its_authors_have_it) {
  EXPECT_EQ(draw(0, 0, 0), (Draw{0xe169c58d6627e8d5u, 0x9b00dbd8bc57ac4cu}));
  auto ones = ~std::uint64_t{0};
  EXPECT_EQ(draw(ones, ones, ones), (Draw{0x41c83b0e408f276du, 0x6d5451fda20bc7c6u}));
  EXPECT_EQ(draw(0x299f31d0a4093822u, 0x0370734413198a2eu, 0x85a308d3243f6a88u),
            (Draw{0x94fdccebd16cfe09u, 0x24126ea15001e420u}));
}

TEST(Chance, compares_all_64_bits) {
  auto most = ~std::uint64_t{0};
  EXPECT_TRUE(happens(kAlways, most));
  EXPECT_TRUE(happens(50 * kPercent, most / 2));
  EXPECT_FALSE(happens(50 * kPercent, most / 2 + 1));
  // 2^64 / 10^8 is 184467440737.09...
  EXPECT_TRUE(happens(1, 184467440737u));
  EXPECT_FALSE(happens(1, 184467440738u));
  EXPECT_TRUE(happens(kAlways - 1, most - 184467440738u));
  EXPECT_FALSE(happens(kAlways - 1, most - 184467440736u));
}

// For every share, seed and rule tried: within five standard deviations, over the whole and over each tenth of it.
TEST(Chance, a_share_is_kept_over_the_whole_and_over_each_part) {
  constexpr int kDraws = 100'000;
  for (Share share : {kPercent / 2, kPercent, 10 * kPercent, 50 * kPercent, 99 * kPercent})
    for (std::uint64_t seed : {0u, 1u, 2u, 12345u})
      for (std::uint64_t rule : {0u, 1u}) {
        double p = static_cast<double>(share) / kAlways;
        auto within = [&](int fired, int of) {
          EXPECT_LT(std::abs(fired - p * of), 5 * std::sqrt(of * p * (1 - p))) << share << " " << seed << " " << rule;
        };
        Dice dice{seed, rule};
        int all = 0, part = 0;
        for (int i = 1; i <= kDraws; i++) {
          bool fires = happens(share, dice.roll().first);
          all += fires;
          part += fires;
          if (i % (kDraws / 10) == 0) {
            within(part, kDraws / 10);
            part = 0;
          }
        }
        within(all, kDraws);
      }
}

TEST(Chance, says_nothing_of_the_next_draw_of_another_rule_or_of_another_seed) {
  constexpr int kDraws = 100'000;
  auto agree = [](auto other) {
    int same = 0;
    for (std::uint64_t i = 0; i < kDraws; i++)
      same += happens(50 * kPercent, draw(1, 1, i).first) == happens(50 * kPercent, other(i).first);
    EXPECT_LT(std::abs(same - kDraws / 2), 5 * 158);
  };
  agree([](auto i) { return draw(1, 1, i + 1); });
  agree([](auto i) { return draw(1, 2, i); });
  agree([](auto i) { return draw(2, 1, i); });
  agree([](auto i) { return Draw{draw(1, 1, i).second, 0}; });
}

// Chi-squared over 256 equal cells: 255 degrees of freedom, mean 255, standard deviation 22.6.
TEST(Chance, is_even) {
  constexpr int kDraws = 256'000;
  for (int shift : {0, 24, 56}) {
    std::array<int, 256> cells{};
    for (std::uint64_t i = 0; i < kDraws; i++) cells[draw(9, 0, i).first >> shift & 255]++;
    double sum = 0;
    for (auto n : cells) sum += (n - 1000.0) * (n - 1000.0) / 1000.0;
    EXPECT_GT(sum, 255 - 5 * 22.6) << shift;
    EXPECT_LT(sum, 255 + 5 * 22.6) << shift;
  }
}

struct Delays {
  double mean = 0, deviation = 0;
  Nanos least = 0, most = 0, median = 0;
};
Delays delays(std::string_view text) {
  constexpr int kDraws = 100'000;
  auto plan = parse_fault_plan(text);
  EXPECT_TRUE(plan);
  Dice dice{.seed = 3};
  std::vector<Nanos> all;
  for (int i = 1; i <= kDraws; i++) all.push_back(choose(*plan, 1, 0, dice).delay);
  std::sort(all.begin(), all.end());
  Delays d{.least = all.front(), .most = all.back(), .median = all[kDraws / 2]};
  for (auto x : all) d.mean += static_cast<double>(x) / kDraws;
  for (auto x : all) d.deviation += (static_cast<double>(x) - d.mean) * (static_cast<double>(x) - d.mean) / kDraws;
  d.deviation = std::sqrt(d.deviation);
  return d;
}
constexpr double kMs = static_cast<double>(kMillisecond);

TEST(Chance, a_uniform_delay_fills_its_range) {
  auto d = delays("delay(uniform, 100ms, 300ms)");
  EXPECT_GE(d.least, 100 * kMillisecond);
  EXPECT_LT(d.least, 101 * kMillisecond);
  EXPECT_LE(d.most, 300 * kMillisecond);
  EXPECT_GT(d.most, 299 * kMillisecond);
  EXPECT_NEAR(d.mean, 200 * kMs, 1 * kMs);
  EXPECT_NEAR(d.deviation, 200 / std::sqrt(12) * kMs, 1 * kMs);
}
TEST(Chance, a_normal_delay_has_its_mean_and_deviation_and_is_never_negative) {
  auto d = delays("delay(normal, 200ms, 20ms)");
  EXPECT_NEAR(d.mean, 200 * kMs, 0.5 * kMs);
  EXPECT_NEAR(d.deviation, 20 * kMs, 0.5 * kMs);
  EXPECT_EQ(delays("delay(normal, 10ms, 1s)").least, 0);
}
TEST(Chance, a_pareto_delay_has_its_scale_and_its_tail) {
  auto d = delays("delay(pareto, 100ms, 3)");
  EXPECT_GE(d.least, 100 * kMillisecond);
  EXPECT_NEAR(static_cast<double>(d.median), 100 * std::cbrt(2.0) * kMs, 1 * kMs);
  EXPECT_NEAR(d.mean, 150 * kMs, 2 * kMs);
  EXPECT_LE(delays("delay(pareto, 1s, 0.1)").most, 3600 * kSecond);
}

}  // namespace
}  // namespace retrial::policies

// How often no-backoff is right of made-up clients, by how they wait: what its numbers yield.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <random>

#include "tests/oracles/runs.h"

namespace retrial::oracles {
namespace {

constexpr int kClients = 1000;

using Draw = std::minstd_rand;
double between(Draw& draw, double least, double most) { return std::uniform_real_distribution(least, most)(draw); }

// What one client waits before its n-th retry (from 0), in seconds; `base` and `cap` are its own.
struct Schedule {
  const char* name;
  std::function<double(Draw&, int n, double base, double cap, double before)> wait;
};
double grown(int n, double base, double cap) {
  return std::min(cap, base * static_cast<double>(1ull << std::min(n, 40)));
}

const Schedule kGrowing[] = {
    {"exponential", [](auto&, int n, double base, double cap, double) { return grown(n, base, cap); }},
    {"exponential, jitter of a fifth",
     [](auto& d, int n, double base, double cap, double) { return grown(n, base, cap) * between(d, 0.8, 1.2); }},
    {"exponential, equal jitter",
     [](auto& d, int n, double base, double cap, double) { return grown(n, base, cap) * between(d, 0.5, 1); }},
    {"exponential, full jitter",
     [](auto& d, int n, double base, double cap, double) { return grown(n, base, cap) * between(d, 0, 1); }},
    {"decorrelated jitter", [](auto& d, int, double base, double cap,
                               double before) { return std::min(cap, between(d, base, std::max(base, 3 * before))); }},
    {"linear", [](auto&, int n, double base, double cap, double) { return std::min(cap, base * (n + 1)); }},
};
const Schedule kConstant[] = {
    {"the same", [](auto&, int, double base, double, double) { return base; }},
    {"the same, jitter of a fifth",
     [](auto& d, int, double base, double, double) { return base * between(d, 0.8, 1.2); }},
    {"once to twice", [](auto& d, int, double base, double, double) { return base * between(d, 1, 2); }},
};

// Of so many clients with 10 to 30 retries, whose first wait is 0.1 to 1 s and whose cap four times that and more.
int told(const Schedule& schedule) {
  Draw draw(7);
  int told = 0;
  for (int i = 0; i < kClients; i++) {
    Trial t("P3", "error(503)");
    t.reference.call("load", "GET", "/things/lamp").answers(200);
    t.in_case().call("load", "GET", "/things/lamp").gets_error();
    double base = between(draw, 0.1, 1), cap = base * between(draw, 4, 60), wait = base;
    int gaps = std::uniform_int_distribution(10, 30)(draw);
    for (int n = 0; n < gaps; n++) {
      wait = schedule.wait(draw, n, base, cap, wait);
      t.in_case().moved_on(static_cast<Nanos>(wait * kSecond)).again(kMillisecond).gets_error();
    }
    told += t.verdicts().contains("no-backoff");
  }
  std::printf("%-32s %5.1f %% told\n", schedule.name, 100.0 * told / kClients);
  return told;
}

TEST(NoBackoffCalibration, of_a_thousand_clients_that_back_off_less_than_five_are_told) {
  for (auto& schedule : kGrowing) EXPECT_LT(told(schedule), kClients / 200) << schedule.name;
}
TEST(NoBackoffCalibration, of_those_that_do_not_most_are_told) {
  for (auto& schedule : kConstant) EXPECT_GT(told(schedule), kClients * 6 / 10) << schedule.name;
}

}  // namespace
}  // namespace retrial::oracles

// How often no-backoff is right of made-up clients, by how they wait: what its numbers yield.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/oracles/runs.h"
#include "tests/oracles/schedules.h"

namespace retrial::oracles {
namespace {

constexpr int kClients = 1000;

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

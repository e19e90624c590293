#include "trace/run.h"

#include <gtest/gtest.h>

#include "base/clock.h"

namespace retrial::test {
namespace {

TEST(Run, lasts_as_long_as_it_really_took_however_far_its_clients_clock_was_moved) {
  trace::Run run;
  run.began = kSecond;
  run.ended = 64 * kSecond;
  EXPECT_EQ(trace::lasted(run), 63 * kSecond);
  run.jumps = {{2 * kSecond, 20 * kSecond}, {30 * kSecond, 42 * kSecond}};
  EXPECT_EQ(trace::lasted(run), kSecond);
}

}  // namespace
}  // namespace retrial::test

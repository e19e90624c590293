// When a faulted call has gone on for longer than anybody looks.
#include "campaign/workload/attempt_limit.h"

#include <gtest/gtest.h>

namespace retrial::campaign {
namespace {

// A client that tries again and again, each time after so much of its own time and of the real one; how often it had
// tried when it was ended. In vain: its requests count so, and no longer as a call's attempts.
int tried(RunSpec spec, Nanos client_pace, Nanos real_pace, bool in_vain = false) {
  constexpr int kMost = 50'000;
  ManualClock client, real;
  AttemptLimit limit(spec, client, real);
  for (int i = 1; i <= kMost; i++) {
    if (limit.reached(in_vain ? 1 : i, in_vain ? i : 0)) return i;
    client.advance(client_pace);
    real.advance(real_pace);
  }
  return kMost;
}

RunSpec spec_of(int attempts, Nanos looks = 0, Nanos time = 0) {
  RunSpec spec;
  spec.aims.emplace_back();
  spec.attempts_limit = attempts;
  spec.looks_limit = looks;
  spec.client_time_limit = time;
  return spec;
}

TEST(AttemptLimit, is_a_number_of_attempts_or_a_length_of_time_whichever_comes_first) {
  EXPECT_EQ(tried(spec_of(1000), kMillisecond, kMillisecond), 1001);
  EXPECT_EQ(tried(spec_of(1000, 0, 3600 * kSecond), 60 * kSecond, kMillisecond), 62);
}

TEST(AttemptLimit, waits_for_a_minute_of_looks_whose_waits_pass_at_once) {
  auto spec = spec_of(1000, 60 * kSecond);
  EXPECT_EQ(tried(spec, 20 * kMillisecond, 3 * kMillisecond), 3001);
  EXPECT_EQ(tried(spec, 200 * kMillisecond, 3 * kMillisecond), 1001) << "the minute has long since passed";
  EXPECT_EQ(tried(spec, 3 * kMillisecond, 3 * kMillisecond), 1001) << "a loop that works, or waits in real time";
}

TEST(AttemptLimit, ends_what_is_sent_in_vain_where_there_is_a_fault) {
  EXPECT_EQ(tried(spec_of(0), kMillisecond, kMillisecond, true), 3001);
  EXPECT_EQ(tried(RunSpec(), kMillisecond, kMillisecond, true), 50'000);
}

TEST(AttemptLimit, lifts_the_faults_of_a_run_in_company_and_ends_it_for_none_of_its_attempts) {
  auto spec = spec_of(150, 0, kSecond);
  spec.lifts = true;
  EXPECT_EQ(tried(spec, kMillisecond, kMillisecond), 50'000);
  EXPECT_EQ(tried(spec, kMillisecond, kMillisecond, true), 3001);
}

}  // namespace
}  // namespace retrial::campaign

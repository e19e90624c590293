#include <gtest/gtest.h>

#include "campaign/workload/went_past.h"

namespace retrial::campaign {
namespace {
using Services = std::set<std::string>;

TEST(WentPast, a_service_that_was_reached_before_and_now_was_not_makes_the_run_unfit) {
  Services reached;
  EXPECT_EQ(went_past({.reached = {"127.0.0.1:80"}}, reached), "");
  EXPECT_EQ(went_past({.reached = {"127.0.0.1:81"}, .missed = {"10.0.0.1:80"}}, reached), "")
      << "it may be one that never answers anybody";
  EXPECT_TRUE(went_past({.missed = {"127.0.0.1:80"}}, reached).starts_with("a connection to 127.0.0.1:80 went past"));
}
TEST(WentPast, so_does_one_that_is_reached_and_missed_in_the_same_run) {
  Services reached;
  EXPECT_NE(went_past({.reached = {"127.0.0.1:80"}, .missed = {"127.0.0.1:80"}}, reached), "");
}

TEST(WentUnseen, a_connection_that_we_had_no_descriptor_to_look_at_makes_the_run_say_nothing) {
  trace::CaptureCounts capture;
  capture.not_seen = {"python3 (socket cannot be read: Too many open files)"};
  EXPECT_EQ(went_unseen(capture),
            "Retrial could not look at a connection: python3 (socket cannot be read: Too many open files); a higher "
            "limit (ulimit -n) helps");
}
TEST(WentUnseen, what_a_process_took_with_it_does_not) {
  trace::CaptureCounts capture;
  capture.not_seen = {"python3 (memory cannot be read: No such process)", "10.0.0.1:80 (outside)"};
  EXPECT_EQ(went_unseen(capture), "");
}

TEST(WentUnheard, a_test_whose_result_an_agent_that_failed_did_not_tell_makes_the_run_say_nothing) {
  trace::Run run;
  run.tests = {"a", "b"};
  run.exit_code = 1;
  run.results.resize(1);
  run.results[0].test = "a";
  EXPECT_EQ(went_unheard(run, {}), "") << "it may have died";
  EXPECT_EQ(went_unheard(run, {"node: vitest: it broke"}),
            "a part of an agent of ours failed (node: vitest: it broke), and what became of b was not told");
  run.tests.pop_back();
  EXPECT_EQ(went_unheard(run, {"node: vitest: it broke"}), "");
}

}  // namespace
}  // namespace retrial::campaign

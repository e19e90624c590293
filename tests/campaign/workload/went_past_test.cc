#include <gtest/gtest.h>

#include "campaign/workload/execution.h"

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

}  // namespace
}  // namespace retrial::campaign

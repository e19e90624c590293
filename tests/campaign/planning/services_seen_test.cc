#include "campaign/planning/services_seen.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "trace/run.h"

namespace retrial::campaign {
namespace {

trace::Run refused_at(int ports) {
  trace::Run run;
  for (int i = 0; i < ports; i++)
    run.capture.not_seen.push_back(fmt::format("127.0.0.1:{}{}", 40000 + i, trace::kRefused));
  return run;
}

TEST(ConnectionsLeftAlone, are_named_where_they_are_few) {
  auto lines = connections_left_alone(refused_at(2));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1], fmt::format("connection left as it is: 127.0.0.1:40001{}", trace::kRefused));
}

TEST(ConnectionsLeftAlone, of_one_host_that_refused_many_are_told_together) {
  auto run = refused_at(19);
  run.capture.not_seen.push_back("10.0.0.9:443 (it distrusts our authority)");
  auto lines = connections_left_alone(run);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1], "connections refused at 19 ports of 127.0.0.1: nobody listened there");
}

TEST(ConnectionsLeftAlone, are_none_where_somebody_listened_later) {
  auto run = refused_at(1);
  run.exchanges.emplace_back().service = "127.0.0.1:40000";
  EXPECT_TRUE(connections_left_alone(run).empty());
}

}  // namespace
}  // namespace retrial::campaign

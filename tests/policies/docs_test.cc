// docs/faults.md says of every fault and every policy what it does.
#include <gtest/gtest.h>

#include "policies/policy.h"
#include "tests/support/docs.h"
#include "trace/fault_table.h"

namespace retrial::policies {
namespace {

TEST(FaultsPage, has_every_fault_of_the_language) {
  auto text = test::docs("faults.md");
  for (auto name : trace::fault_names()) {
    auto code = "`" + std::string(name);
    EXPECT_TRUE(text.contains(code + "`") || text.contains(code + "(") || text.contains(code + "[(")) << name;
  }
}

// One row a plan; a policy's name stands in its first.
TEST(FaultsPage, has_every_policy_with_its_plans_in_the_order_in_which_they_are_tried) {
  auto rows = test::table_below(test::docs("faults.md"), "## Policies");
  auto row = rows.begin();
  for (auto& policy : policies()) {
    std::vector<std::string> plans;
    for (auto& plan : policy.plans) plans.push_back("`" + show(plan) + "`");
    for (auto& plan : policy.where_it_times_out)
      plans.push_back("`" + show(plan) + "`, where the service's profile says that it times out so");
    for (auto& plan : policy.once_a_site) plans.push_back("`" + show(plan) + "`, once a call site");
    for (auto& plan : policy.once_a_line)
      plans.push_back("`" + show(plan) + "`, once a service, line of code and method");
    for (auto& plan : plans) {
      ASSERT_NE(row, rows.end()) << policy.name << ": " << plan;
      bool first = &plan == &plans.front();
      ASSERT_EQ(row->size(), 3u) << policy.name;
      EXPECT_EQ(row->at(0), first ? policy.name : "");
      EXPECT_EQ(row->at(1), plan);
      if (first) {
        EXPECT_TRUE(row->at(2).starts_with(policy.question)) << policy.name;
        EXPECT_EQ(row->at(2).contains("only where it is asked for"), !policy.by_default) << policy.name;
        EXPECT_EQ(row->at(2).contains(std::string("Only of calls that ") + std::string(policy.needs.shown_by)),
                  policy.needs.attempts > 0)
            << policy.name;
      }
      ++row;
    }
  }
  EXPECT_EQ(row, rows.end()) << row->at(0) << " " << row->at(1) << " is no policy's";
}

}  // namespace
}  // namespace retrial::policies

#include "campaign/planning/deaths.h"

#include <gtest/gtest.h>

#include "tests/predict/story.h"

namespace retrial::campaign {
namespace {

using predict::kDying, predict::kSuccessor, predict::Story;

// The dying writes what its fellow waits for; `wait`: the fellow is seen to wait without a death, too.
Story a_grant(bool wait) {
  Story story;
  if (wait) story.by(kSuccessor, "GET", "/grant", 404);
  story.by(kDying, "PUT", "/grant", 201);
  story.by(kSuccessor, "GET", "/grant", 200, "yes");
  return story;
}

Story a_grant_that_never_comes() {
  Story story;
  story.dies("PUT", "/grant", 0);
  for (int i = 0; i < 3; i++) story.by(kSuccessor, "GET", "/grant", 404);
  story.run.stop = trace::Stop::deadline;
  return story;
}

std::vector<MayDie> deaths_of(Story& reference, Story& seen) {
  for (auto* story : {&reference, &seen})
    for (auto& e : story->run.exchanges) e.tag.test = "t";
  return may_die({{"t", &reference.run}}, {{"t", {&seen.run}}});
}

TEST(MayDie, is_a_wait_too_that_only_a_death_has_shown) {
  auto reference = a_grant(false), seen = a_grant_that_never_comes();
  auto all = deaths_of(reference, seen);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all.front().found.target.operation, "PUT /grant");
  trace::FaultSpec crash{.name = trace::FaultName::crash, .point = trace::Point::before_request};
  EXPECT_EQ(all.front().plan, (policies::FaultPlan{{{crash, 0}}})) << "whenever it is about to write";
  EXPECT_EQ(all.front().found.places.front().reference, &reference.run);
}

TEST(MayDie, is_such_a_wait_once_where_the_reference_shows_it) {
  auto reference = a_grant(true), seen = a_grant_that_never_comes();
  EXPECT_EQ(deaths_of(reference, seen).size(), 1u);
}

TEST(MayDie, is_nothing_of_a_run_that_ended_by_itself_with_nothing_read) {
  auto reference = a_grant(false), seen = a_grant_that_never_comes();
  seen.run.exchanges.resize(1);
  seen.run.stop = trace::Stop::exited;
  EXPECT_TRUE(deaths_of(reference, seen).empty());
}

}  // namespace
}  // namespace retrial::campaign

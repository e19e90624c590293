#include "campaign/judging/merge.h"

#include <gtest/gtest.h>

#include "tests/support/folder.h"

namespace retrial::campaign {
namespace {

class Merging : public testing::Test {
 protected:
  // A part that found something in its second run.
  std::filesystem::path part(const std::string& name, const std::string& shard, const std::string& plan = "p",
                             const std::string& incomplete = "") {
    trace::Finding f{.id = "aaaaaaa" + shard.substr(0, 1), .verdict = "no-backoff", .run = 2, .reference = 1};
    trace::CaseRecord row{.id = "c" + shard.substr(0, 1), .outcome = "run", .runs = {2}, .reference = 1};
    trace::CampaignRecord record{.services = {{"127.0.0.1:1", "", "", 7}},
                                 .cases = {row},
                                 .findings = {f},
                                 .retries = {{.file = "a.py", .line = 3, .state = shard == "1/2" ? "never" : "right"}},
                                 .remarks = {"of all", "shard " + shard},
                                 .incomplete = incomplete,
                                 .plan = plan,
                                 .shard = shard};
    std::filesystem::create_directory(folder_.path() / name);
    std::vector<trace::Run> runs(2);
    runs[0].id = 1;
    runs[1].id = 2;
    EXPECT_TRUE(trace::write_store(folder_.path() / name / "campaign.db", record, runs));
    return folder_.path() / name;
  }
  Merged merged(std::vector<std::filesystem::path> folders) {
    auto out = merge({std::move(folders), {}, {}});
    EXPECT_TRUE(out) << (out ? "" : out.error().line());
    if (!out) return {};
    for (auto& line : out->left) line = line.substr(folder_.path().string().size() + 1);
    return std::move(*out);
  }
  test::Folder folder_;
};

TEST_F(Merging, makes_one_campaign_of_all_parts_with_runs_of_its_own_numbers) {
  auto [whole, left] = merged({part("b", "2/2"), part("a", "1/2")});
  auto& c = whole.campaign;
  EXPECT_TRUE(left.empty());
  EXPECT_EQ(c.incomplete, "");
  EXPECT_EQ(c.shard, "");
  ASSERT_EQ(c.findings.size(), 2u);
  EXPECT_EQ(c.findings[1].id, "aaaaaaa2");
  EXPECT_EQ(c.findings[1].run, 4u);
  EXPECT_EQ(c.findings[1].reference, 3u);
  EXPECT_EQ(c.cases[1].runs, std::vector<std::uint64_t>{4});
  EXPECT_EQ(c.cases[1].reference, 3u);
  ASSERT_EQ(whole.runs.size(), 4u);
  EXPECT_EQ(whole.runs[3].id, 4u);
  ASSERT_EQ(c.retries.size(), 1u);
  EXPECT_EQ(c.retries[0].state, "right") << "what one part reached and another did not";
  EXPECT_EQ(c.services.front().exchanges, 7u) << "of the suite, which every part has run";
  EXPECT_EQ(c.remarks, (std::vector<std::string>{"of all", "shard 1: shard 1/2", "shard 2: shard 2/2"}));
}

TEST_F(Merging, leaves_out_what_is_no_part_of_the_plan_that_most_are_of_and_says_what_is_missing) {
  std::filesystem::create_directory(folder_.path() / "empty");
  auto torn = part("torn", "4/4");
  std::filesystem::resize_file(torn / "campaign.db", 5000);
  auto [whole, left] =
      merged({part("other", "1/4", "q"), part("two", "2/4"), part("again", "2/4"),
              part("three", "3/4", "p", "interrupted"), part("of five", "1/5"), folder_.path() / "empty", torn});
  EXPECT_EQ(whole.campaign.incomplete, "shards 1, 4 of 4 are missing; shard 3: interrupted");
  EXPECT_EQ(whole.campaign.findings.size(), 2u);
  ASSERT_EQ(left.size(), 5u);
  EXPECT_TRUE(left[0].starts_with("empty: holds no campaign.db")) << left[0];
  EXPECT_TRUE(left[1].starts_with("torn/campaign.db: ")) << left[1];
  EXPECT_TRUE(left[2].starts_with("other: is left out: its plan is q")) << left[2];
  EXPECT_TRUE(left[3].starts_with("again: is left out: ") && left[3].ends_with("two is shard 2/4 too")) << left[3];
  EXPECT_TRUE(left[4].starts_with("of five: is left out: it is one of 5 shards")) << left[4];
}

TEST_F(Merging, of_no_part_at_all_is_an_error) {
  auto none = merge({{part("whole", ""), folder_.path() / "gone"}, {}, {}});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().blame, Blame::user);
  EXPECT_NE(none.error().line().find("whole: is no shard"), std::string::npos) << none.error().line();
}

}  // namespace
}  // namespace retrial::campaign

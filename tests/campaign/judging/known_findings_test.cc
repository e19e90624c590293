#include "campaign/judging/known_findings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "campaign/report/words.h"
#include "campaign/workload/time_saved.h"
#include "policies/policy.h"
#include "tests/campaign/report/formats.h"
#include "tests/support/folder.h"

namespace retrial::campaign {
namespace {

trace::CampaignRecord found(std::vector<std::string> ids) {
  trace::CampaignRecord record;
  for (auto& id : ids)
    record.findings.push_back({.id = id,
                               .verdict = "missing-delay",
                               .confidence = trace::Confidence::certain,
                               .confirmed = true,
                               .operation = "GET /" + id});
  return record;
}

TEST(Since, findings_of_an_earlier_report_stay_and_do_not_fail_the_run) {
  test::Folder folder;
  auto file = folder.path() / "findings.json";
  std::ofstream(file) << report::findings_json(found({"aaaaaaaa", "bbbbbbbb"}));
  auto since = read_finding_ids(file);
  ASSERT_TRUE(since) << since.error().line();
  auto record = found({"aaaaaaaa", "cccccccc"});
  mark_known(record, {}, *since);
  EXPECT_TRUE(record.findings[0].known);
  EXPECT_FALSE(record.findings[1].known);
  EXPECT_FALSE(report::fails_run(record.findings[0], trace::Confidence::possible));
  EXPECT_TRUE(report::fails_run(record.findings[1], trace::Confidence::possible));
  EXPECT_EQ(record.remarks,
            std::vector<std::string>{"--since: 1 of 2 findings are known; 1 of the earlier report was not seen now"});
}

TEST(Since, a_file_that_is_no_report_says_so) {
  test::Folder folder;
  auto file = folder.path() / "x.json";
  EXPECT_NE(read_finding_ids(file).error().line().find("No such file"), std::string::npos);
  for (auto text : {"", "[]", "{\"findings\":3}", "{\"version\":2,\"findings\":[]}",
                    "{\"version\":1,\"findings\":[{}]}", "{\"version\":1,\"findings\":[3]}"}) {
    std::ofstream(file) << text;
    auto since = read_finding_ids(file);
    ASSERT_FALSE(since) << text;
    EXPECT_EQ(since.error().blame, Blame::user);
  }
  std::ofstream(file) << "{\"version\":1,\"findings\":[]}";
  EXPECT_TRUE(read_finding_ids(file));
}

TEST(Accept, keeps_a_finding_out_of_the_exit_status_and_one_that_matches_nothing_is_said) {
  Config config;
  config.accepted = {{"aaaaaaaa", "known"}, {"dddddddd", ""}};
  auto record = found({"aaaaaaaa", "cccccccc"});
  mark_known(record, config, {});
  ASSERT_EQ(record.findings.size(), 2u);
  EXPECT_FALSE(report::fails_run(record.findings[0], trace::Confidence::possible));
  EXPECT_TRUE(report::fails_run(record.findings[1], trace::Confidence::possible));
  EXPECT_EQ(record.remarks, std::vector<std::string>{"[[accept]] dddddddd matched no finding"});
}

// One thing to mend, met under several faults: whichever of its ids stands in the list, all of it is meant.
TEST(Accept, covers_a_cause_with_its_variants_also_where_the_very_one_was_not_met_this_time) {
  auto record = found({"aaaaaaaa", "bbbbbbbb", "cccccccc"});
  for (auto& f : record.findings) f.site = trace::CallSite{"src/jobs.py", 7, "submit"};
  record.findings[1].operation = record.findings[0].operation;  // under another fault
  record.findings[2].verdict = "missing-cap";
  auto named = [&](std::string id) {
    Config config;
    config.accepted = {{std::move(id), "known"}};
    auto marked = record;
    mark_known(marked, config, {});
    std::vector<std::string> ids;
    for (auto& f : marked.findings)
      if (f.accepted) ids.push_back(f.id);
    std::ranges::sort(ids);
    return std::pair(ids, marked.remarks.size());
  };
  using Ids = std::vector<std::string>;
  EXPECT_EQ(named("aaaaaaaa"), std::pair(Ids({"aaaaaaaa", "bbbbbbbb"}), std::size_t(0)));
  EXPECT_EQ(named("bbbbbbbb"), std::pair(Ids({"aaaaaaaa", "bbbbbbbb"}), std::size_t(0)));
  auto& f = record.findings[0];
  auto other = policies::show(policies::policies().front().plans.front());
  EXPECT_EQ(named(trace::finding_id(f.verdict, f.site, f.operation, other)),
            std::pair(Ids({"aaaaaaaa", "bbbbbbbb"}), std::size_t(0)));
  EXPECT_EQ(named(trace::finding_id(f.verdict, f.site, "GET /else", other)), std::pair(Ids(), std::size_t(1)));

  auto marked = record;
  mark_known(marked, {}, campaign::Ids{"aaaaaaaa"});
  EXPECT_EQ(std::ranges::count_if(marked.findings, &trace::Finding::known), 2);
}

TEST(TimeSaved, says_how_much_waiting_took_no_time_and_whose_clock_could_not_be_moved) {
  TimeSaved saved;
  EXPECT_EQ(saved.line(), "");
  saved.add({.compressed = true});
  EXPECT_EQ(saved.line(), "") << "nobody waited";
  saved.add({.compressed = true, .jumps = {{.at = 1, .by = 40 * kSecond}, {.at = 2, .by = 23 * kSecond}}});
  EXPECT_EQ(saved.line(), "clients waited 1 min 3 s that took no time, in 2 of 2 runs");
  saved.add({.real_time = {"tool[123] (static)"}});
  saved.add({.real_time = {"tool[124] (static)"}});
  EXPECT_EQ(
      saved.line(),
      "clients waited 1 min 3 s that took no time, in 2 of 4 runs; the clock of tool (static) could not be moved");
}

}  // namespace
}  // namespace retrial::campaign

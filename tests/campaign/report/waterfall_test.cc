#include "campaign/report/waterfall.h"

#include <gtest/gtest.h>

#include "tests/campaign/sample_campaign.h"

namespace retrial::campaign::report {
namespace {

// A worker writes a mark and is ended there; who takes its place reads the mark; the test looks for the report.
trace::Run death() {
  trace::Run run;
  trace::CallSite site{"worker.py", 9, "work"};
  trace::FaultSpec crash{trace::FaultName::crash, {}, 0, 0, trace::Point::executed};
  sample::tell(run, {site, 1, 1, 0, 1, "GET", "/done", "GET /done", 404});
  sample::tell(run, {site, 2, 1, 2, 1, "PUT", "/done", "PUT /done", 201, crash});
  sample::tell(run, {site, 3, 1, 9, 1, "GET", "/done", "GET /done", 200});
  sample::tell(run, {site, 4, 1, 12, 1, "GET", "/report", "GET /report", 404});
  int pids[] = {71, 71, 72, 70};
  for (std::size_t i = 0; i < 4; i++) run.exchanges[i].pid = pids[i];
  run.stages.push_back({"test_report", trace::Phase::test, 70, true});
  return run;
}

std::size_t at(const std::string& drawn, std::string_view words) {
  EXPECT_NE(drawn.find(words), drawn.npos) << words;
  return drawn.find(words);
}

TEST(Waterfall, has_a_lane_for_each_process_and_the_moment_at_which_one_was_ended) {
  auto run = death();
  auto drawn = waterfall(run, trace::calls_of(run), {2}, "t", Lanes::by_process);
  auto worker = at(drawn, ">process 71</text>"), successor = at(drawn, ">process 72</text>"),
       tests = at(drawn, ">process 70, in which tests run</text>");
  auto put = at(drawn, ">PUT /done</text>"), report = at(drawn, ">GET /report</text>");
  auto dead = at(drawn, ">ended by SIGKILL</text>");
  EXPECT_LT(worker, dead);
  EXPECT_LT(dead, put);
  EXPECT_LT(put, successor);
  EXPECT_LT(successor, tests);
  EXPECT_LT(tests, report);
  EXPECT_EQ(drawn.find("ended by SIGKILL", dead + 20), drawn.npos) << "one alone";
}

TEST(Waterfall, is_in_order_of_time_where_processes_do_not_matter) {
  auto run = death();
  auto drawn = waterfall(run, trace::calls_of(run), {2}, "t");
  EXPECT_EQ(drawn.find("process 7"), drawn.npos);
}

}  // namespace
}  // namespace retrial::campaign::report

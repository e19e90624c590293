#include "campaign/report/growth_chart.h"

#include <gtest/gtest.h>

#include <deque>

#include "trace/fault_table.h"

namespace retrial::campaign::report {
namespace {

// A finding of `stress` whose case had runs with so many times the entries, each working for so long.
struct Sample {
  trace::CampaignRecord record;
  trace::Finding finding{.verdict = "quadratic", .operation = "GET /all", .policy = "stress lists", .fault = "grow(8)"};
  std::deque<trace::Run> runs;
  RunsById by_id;

  Sample() { record.cases = {{.policy = "stress lists", .plan = "grow(8)", .operation = "GET /all"}}; }
  void add(std::int64_t times, Nanos cpu, trace::Stop stop = trace::Stop::exited) {
    auto& run = runs.emplace_back();
    run.id = runs.size();
    run.cpu = cpu;
    run.stop = stop;
    auto& e = run.exchanges.emplace_back();
    e.fault = {.name = trace::fault_row("grow")->fault, .by = times};
    e.fired = true;
    by_id[run.id] = &run;
    record.cases[0].runs.push_back(run.id);
  }
  std::string chart() const { return growth_chart(record, finding, by_id); }
};

TEST(GrowthChart, has_a_point_for_each_size_that_was_measured) {
  Sample s;
  s.add(8, 2 * kSecond);
  s.add(4, kSecond / 2);
  s.add(16, 9 * kSecond, trace::Stop::deadline);
  auto chart = s.chart();
  std::size_t points = 0;
  for (auto at = chart.find("<circle"); at != chart.npos; at = chart.find("<circle", at + 1)) points++;
  EXPECT_EQ(points, 2u) << "what had to be ended is none";
  EXPECT_TRUE(chart.contains(">0.5 s<") && chart.contains(">2 s<") && chart.contains(">times the entries<")) << chart;
}
TEST(GrowthChart, is_none_of_one_run_or_of_another_finding) {
  Sample s;
  s.add(8, kSecond);
  EXPECT_EQ(s.chart(), "");
  s.add(4, kSecond);
  s.finding.policy = "P1";
  EXPECT_EQ(s.chart(), "");
}

}  // namespace
}  // namespace retrial::campaign::report

#include "trace/campaign_record.h"

#include <gtest/gtest.h>

namespace retrial::trace {
namespace {

TEST(CaseOf, a_finding_is_of_the_case_whose_run_shows_it_whatever_call_it_tells_of) {
  CaseRecord make{.id = "c1", .policy = "P3", .plan = "error(503)", .test = "t", .operation = "POST /uploads"};
  auto put = make, elsewhere = make;
  put.id = "c2", put.operation = "PUT /uploads/{id}";
  elsewhere.id = "c3", elsewhere.test = "u";
  make.runs = {3};
  put.runs = elsewhere.runs = {14};
  std::vector<CaseRecord> rows{make, elsewhere, put};
  Finding leak{.verdict = "resource-leak", .test = "t", .operation = "POST /uploads", .policy = "P3"};
  leak.fault = "error(503)";
  leak.run = 14;
  EXPECT_EQ(case_of(rows, leak)->id, "c2");
  leak.run = 3;
  EXPECT_EQ(case_of(rows, leak)->id, "c1");
  leak.run = 99;
  EXPECT_EQ(case_of(rows, leak)->id, "c1") << "its run is not known";
  leak.policy = "K1";
  EXPECT_EQ(case_of(rows, leak), rows.end());
}

}  // namespace
}  // namespace retrial::trace

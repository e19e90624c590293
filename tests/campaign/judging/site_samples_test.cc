#include "campaign/judging/site_samples.h"

#include <gtest/gtest.h>

namespace retrial::campaign {
namespace {

TEST(SiteSamples, what_comparing_call_sites_speaks_of_is_not_told_as_right_too) {
  auto right = [](const char* function, const char* fault) {
    return trace::Judged{"t1",    trace::CallSite{"a.py", 7, function}, "127.0.0.1:9000", "GET /things/*", "P3", fault,
                         "passed"};
  };
  std::vector<trace::Judged> clean{right("load", "error(503) x 1"), right("load", "reset x 1"),
                                   right("keep", "error(503) x 1")};
  trace::Finding odd{.verdict = "inconsistent-retry"};
  odd.site = trace::CallSite{"a.py", 7, "load"};
  odd.service = "127.0.0.1:9000";
  odd.operation = "GET /things/*";
  odd.fault = "error(503) x 1";
  take_from_clean(clean, {odd});
  ASSERT_EQ(clean.size(), 2u);
  EXPECT_EQ(clean[0].fault, "reset x 1");
  EXPECT_EQ(clean[1].site->function, "keep");
}

}  // namespace
}  // namespace retrial::campaign

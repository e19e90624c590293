#include "trace/comparing/difference.h"

#include <gtest/gtest.h>

#include "trace/comparing/slices.h"

namespace retrial::trace {
namespace {

Run suite() {
  Run run;
  for (const char* test : {"a", "b"}) run.results.push_back({test, Phase::test, "passed", 5, {}});
  for (std::uint64_t id = 1; id <= 4; id++) {
    Exchange e{.id = id};
    e.operation = id % 2 ? "PUT /jobs/{id}" : "GET /jobs";
    e.tag.site = CallSite{"jobs.py", static_cast<int>(id), "work"};
    e.tag.test = id < 3 ? "a" : "b";
    e.tag.phase = id == 4 ? Phase::shared : Phase::test;
    run.exchanges.push_back(std::move(e));
  }
  return run;
}

TEST(Conducts, of_a_suite_are_those_of_its_slices) {
  auto first = suite(), second = suite();
  second.exchanges.pop_back();
  second.exchanges.erase(second.exchanges.begin());
  second.results[1].outcome = "failed";
  second.stages.push_back({"c", Phase::test, 1, true});
  auto one = conducts_of(first), other = conducts_of(second);
  auto slices = slices_of(first), others = slices_of(second);
  EXPECT_EQ(one.size(), slices.size());
  EXPECT_EQ(other.size(), others.size());
  EXPECT_EQ(difference(one["a"], other["a"]), "it did not send PUT /jobs/{id} at jobs.py:1 work");
  for (const char* test : {"a", "b", "c"})
    EXPECT_EQ(difference(one[test], other[test]), difference(slices[test], others[test], test)) << test;
}

}  // namespace
}  // namespace retrial::trace

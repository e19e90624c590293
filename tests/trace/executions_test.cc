#include "trace/executions.h"

#include <gtest/gtest.h>

namespace retrial::trace {
namespace {

TEST(Executions, are_told_apart_by_name_from_the_second) {
  EXPECT_EQ(execution_of("tests/a.py::b", 1), "tests/a.py::b");
  EXPECT_EQ(execution_of("tests/a.py::b", 12), "tests/a.py::b [again 12]");
  for (int nth : {1, 2, 12}) EXPECT_EQ(test_of(execution_of("a [x]", nth)), "a [x]");
}

TEST(Executions, are_not_seen_in_a_tests_own_name) {
  for (auto* name : {"", "a", "a [again ]", "a [again x]", "a [again 2", "a[again 2]", "[again 2]"})
    EXPECT_EQ(test_of(name), name);
}

TEST(Executions, are_read_as_the_test_itself) {
  trace::Run slice;
  slice.tests = {"a [again 2]"};
  slice.results = {{.test = "a [again 2]", .outcome = "passed"}};
  slice.stages = {{.test = "a [again 2]"}};
  slice.exchanges.emplace_back().tag.test = "a [again 2]";
  auto run = as_test(slice);
  EXPECT_EQ(run.tests, std::vector<std::string>{"a"});
  EXPECT_NE(result_of(run, "a"), nullptr);
  EXPECT_EQ(run.stages.front().test, "a");
  EXPECT_EQ(run.exchanges.front().tag.test, "a");
}

}  // namespace
}  // namespace retrial::trace

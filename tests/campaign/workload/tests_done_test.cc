#include "campaign/workload/tests_done.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace retrial::campaign {
namespace {

TEST(TestsDone, counts_each_test_with_a_result_once_as_its_lines_come) {
  auto file = std::filesystem::temp_directory_path() / ("done-" + std::to_string(getpid()));
  TestsDone done(file);
  EXPECT_EQ(done.count(), 0u) << "no agent has spoken";
  auto append = [&](const std::string& text) { std::ofstream(file, std::ios::app) << text; };
  append(R"({"ev":"start","id":"t::a","phase":"call","pid":7})"
         "\n"
         R"({"ev": "result", "id": "t::a", "phase": "call", "outcome": "passed"})"
         "\n"
         R"({"ev":"result","id":"t::b","phase":"ca)");
  EXPECT_EQ(done.count(), 1u);
  append(
      "ll\"}\n"
      R"({"ev":"result","id":"t::b","phase":"teardown"})"
      "\n");
  EXPECT_EQ(done.count(), 2u);
  EXPECT_EQ(done.count(), 2u);
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace retrial::campaign

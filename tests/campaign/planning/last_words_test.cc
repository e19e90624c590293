#include "campaign/planning/last_words.h"

#include <gtest/gtest.h>

#include "tests/support/folder.h"

namespace retrial::campaign {
namespace {

TEST(LastWords, are_those_of_a_command_that_failed_and_end_with_where_all_of_them_are) {
  test::Folder folder;
  auto log = folder.write("0001.log", "1\n2\n\n3\n4\n5\n6\n\x1b[31m7\n\n");
  trace::Run run;
  run.exit_code = 2;
  EXPECT_EQ(
      last_words("make", run, log),
      "`make` ends with status 2 by itself, without any fault\n  its last words:\n    2\n    3\n    4\n    5\n    6\n"
      "    \xEF\xBF\xBD[31m7\n  all of it: " +
          log.string());
  run.stop = trace::Stop::signalled;
  run.exit_code = 11;
  EXPECT_TRUE(last_words("make", run, log).starts_with("`make` ends by signal 11 by itself"))
      << last_words("make", run, log);
  EXPECT_NE(last_words("make", run, folder.path() / "none").find("it says nothing"), std::string::npos);
}

TEST(LastWords, there_are_none_where_it_ended_well_or_was_ended_by_us) {
  trace::Run run;
  EXPECT_EQ(last_words("make", run, "/nowhere"), "");
  run.exit_code = 1;
  for (auto stop : {trace::Stop::deadline, trace::Stop::interrupted}) {
    run.stop = stop;
    EXPECT_EQ(last_words("make", run, "/nowhere"), "");
  }
}

}  // namespace
}  // namespace retrial::campaign

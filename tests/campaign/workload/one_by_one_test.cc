// A command that is told test by test, by a process around it.
#include "campaign/workload/one_by_one.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "tests/support/folder.h"

namespace retrial::campaign {
namespace {

// Its status, as a shell has it.
int status_of(const std::string& script, const test::Folder& folder) {
  auto file = folder.write("smoke.sh", script);
  auto process = fork();
  if (process == 0) {
    setenv("RETRIAL_EVENTS", (folder.path() / "events").c_str(), 1);
    _exit(run_one_by_one(kScript, {"sh", file}));
  }
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}
std::string told(const test::Folder& folder) { return test::contents(folder.path() / "events"); }

TEST(OneByOne, what_a_script_leaves_in_the_background_is_not_waited_for) {
  test::Folder folder;
  auto left = folder.path() / "left";
  EXPECT_EQ(status_of("sleep 600 &\necho $! >" + left.string() + "\nuname\nfalse_alarm() { :; }\nexit 3\n", folder), 3);
  pid_t process = 0;
  std::ifstream(left) >> process;
  ASSERT_GT(process, 1);
  EXPECT_EQ(kill(process, SIGKILL), 0) << "it is still there";
  EXPECT_NE(told(folder).find("uname"), std::string::npos);
}

TEST(OneByOne, what_a_script_sends_to_its_process_group_ends_the_script_alone) {
  test::Folder folder;
  EXPECT_EQ(status_of("trap 'kill 0' EXIT\nuname\nuname\n", folder), 128 + SIGTERM);
  EXPECT_NE(told(folder).find("\"result\""), std::string::npos) << "and what came of it is told";
}

}  // namespace
}  // namespace retrial::campaign

#include "campaign/workload/restart.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/folder.h"

namespace retrial::campaign {
namespace {

TEST(Restart, is_by_what_stands_in_the_command_line_and_may_be_the_same_once_more) {
  std::vector<Process> processes{{"worker", "worker.py 80", "exec {}"}, {"other", "other", "make it"}};
  EXPECT_EQ(restart_of(processes, {"python3", "worker.py", "8080", "it's"}), "exec python3 worker.py 8080 'it'\\''s'");
  EXPECT_EQ(restart_of(processes, {"/bin/other"}), "make it");
  EXPECT_EQ(restart_of(processes, {"python3", "test.py"}), "");
  EXPECT_EQ(restart_of({}, {"python3"}), "");
}

TEST(Restart, is_done_while_the_command_runs) {
  test::Folder folder;
  auto orders = Orders::make(folder.path() / "orders");
  ASSERT_TRUE(orders);
  auto done = folder.path() / "done";
  ASSERT_EQ(mkfifo(done.c_str(), 0600), 0);
  pid_t around = fork();
  if (around == 0) {
    pid_t child = fork();
    if (child == 0) _exit(open(done.c_str(), O_RDONLY) < 0 ? 1 : 7);  // once somebody writes into it
    int status = wait_for(child, (*orders)->at().string());
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
  }
  (*orders)->give("true\necho > '" + done.string() + "'");  // as a program given by -c has them
  int status = 0;
  waitpid(around, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 7) << "the command's own status";
}

TEST(Restart, tells_what_could_not_be_run) {
  test::Folder folder;
  auto orders = Orders::make(folder.path() / "orders");
  ASSERT_TRUE(orders);
  auto done = folder.path() / "done";
  ASSERT_EQ(mkfifo(done.c_str(), 0600), 0);
  pid_t around = fork();
  if (around == 0) {
    pid_t child = fork();
    if (child == 0) _exit(open(done.c_str(), O_RDONLY) < 0 ? 1 : 7);
    wait_for(child, (*orders)->at().string());
    _exit(0);
  }
  (*orders)->give("exit 1");  // it ran: how it ended is its own matter
  (*orders)->give("no-such-command-of-ours x 2> /dev/null");
  for (int i = 0; i < 500 && (*orders)->failed().empty(); i++) usleep(10'000);
  EXPECT_EQ((*orders)->failed(), "no-such-command-of-ours x 2> /dev/null");
  (*orders)->give("echo > '" + done.string() + "'");
  int status = 0;
  waitpid(around, &status, 0);
}

TEST(Restart, knows_the_command_line_of_who_is_there) {
  EXPECT_FALSE(command_line(getpid()).empty());
  EXPECT_TRUE(command_line(0).empty());
}

}  // namespace
}  // namespace retrial::campaign

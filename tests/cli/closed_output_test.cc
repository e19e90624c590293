// Whoever reads the output may leave: `retrial plan … | head`.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace retrial {
namespace {

TEST(ClosedOutput, ends_a_command_as_it_ends_any_other) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  close(ends[0]);
  auto child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    execl(RETRIAL_BINARY, "retrial", "explain", "duplicate-effect", nullptr);
    _exit(9);
  }
  close(ends[1]);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << "by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGPIPE);
}

}  // namespace
}  // namespace retrial

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

// A command that ends with 7 once an order writes into `done`, and the process around it that takes orders.
class Ordered : public testing::Test {
 protected:
  void SetUp() override {
    auto made = Orders::make(folder_.path() / "orders");
    ASSERT_TRUE(made);
    orders_ = std::move(*made);
    ASSERT_EQ(mkfifo(done_.c_str(), 0600), 0);
    around_ = fork();
    if (around_ != 0) return;
    pid_t child = fork();
    if (child == 0) _exit(open(done_.c_str(), O_RDONLY) < 0 ? 1 : 7);
    int status = wait_for(child, orders_->at().string());
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
  }
  int status_after(const std::string& order) {
    orders_->give(order);
    int status = 0;
    waitpid(around_, &status, 0);
    return WEXITSTATUS(status);
  }
  std::string ends() const { return "echo > '" + done_.string() + "'"; }

  test::Folder folder_;
  std::filesystem::path done_ = folder_.path() / "done";
  std::unique_ptr<Orders> orders_;
  pid_t around_ = -1;
};

TEST_F(Ordered, is_done_while_the_command_runs) {
  EXPECT_EQ(status_after("true\n" + ends()), 7) << "the command's own status";  // as a program given by -c has them
}

TEST_F(Ordered, tells_what_could_not_be_run) {
  orders_->give("exit 1");  // it ran: how it ended is its own matter
  orders_->give("no-such-command-of-ours x 2> /dev/null");
  while (orders_->failed().empty()) sched_yield();  // ctest has the limit
  EXPECT_EQ(orders_->failed(), "no-such-command-of-ours x 2> /dev/null");
  EXPECT_EQ(status_after(ends()), 7);
}

TEST(Restart, knows_the_command_line_of_who_is_there) {
  EXPECT_FALSE(command_line(getpid()).empty());
  EXPECT_TRUE(command_line(0).empty());
}

}  // namespace
}  // namespace retrial::campaign

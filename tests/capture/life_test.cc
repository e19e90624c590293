#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "base/descriptor_limit.h"
#include "client.h"
#include "harness.h"

namespace retrial::test {
using proxy::Way;
namespace {
// Whether the process is gone, or goes within half a minute.
bool goes(pid_t pid) {
  const int fd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (fd < 0) return errno == ESRCH;
  pollfd ended{fd, POLLIN, 0};
  const bool gone = poll(&ended, 1, 30'000) == 1;
  close(fd);
  return gone;
}

std::vector<pid_t> pids_in(const std::string& output) {
  std::vector<pid_t> pids;
  std::istringstream in(output);
  for (std::string word; in >> word;)
    if (word == "pid" && in >> word) pids.push_back(std::stoi(word));
  return pids;
}

TEST(Life, the_status_of_the_command_is_its_own) {
  for (const Way way : ways()) {
    EXPECT_EQ(WEXITSTATUS(run_captured(way, client({"end", "status", "7"})).status), 7);
    const auto killed = run_captured(way, client({"end", "signal", std::to_string(SIGTERM)}));
    EXPECT_TRUE(WIFSIGNALED(killed.status));
    EXPECT_EQ(WTERMSIG(killed.status), SIGTERM);
  }
}

TEST(Life, a_signal_reaches_the_command) {
  bool sent = false;
  RunOptions options;
  options.each_millisecond = [&](proxy::Tree& tree) {
    // Blocked in the command before anything else, so that it cannot come too early; until then it may not be sent.
    std::ifstream status("/proc/" + std::to_string(tree.pid()) + "/status");
    for (std::string line; !sent && std::getline(status, line);)
      if (line.starts_with("SigBlk:") && line.ends_with("4000")) tree.signal(SIGTERM), sent = true;
  };
  const auto run = run_captured(ways().front(), client({"wait"}), options);
  EXPECT_EQ(run.output, "got 15\n");
  EXPECT_EQ(WEXITSTATUS(run.status), 7);
}

TEST(Life, the_command_finds_the_limit_of_open_files_that_we_were_started_with) {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit low{before.rlim_max / 2, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &low);
  raise_descriptor_limit();
  for (const Way way : ways())
    EXPECT_EQ(run_captured(way, {"sh", "-c", "ulimit -Sn; ulimit -Hn"}).output,
              std::to_string(low.rlim_cur) + "\n" + std::to_string(low.rlim_max) + "\n");
  setrlimit(RLIMIT_NOFILE, &before);
}

TEST(Life, kill_takes_the_whole_tree) {
  const Service service;
  RunOptions options;
  options.connected = [](proxy::Tree& tree) { tree.kill(); };
  const auto run = run_captured(ways().front(), client({"daemon", service.port(), "stay"}), options);
  EXPECT_EQ(WTERMSIG(run.status), SIGKILL);
  for (const pid_t pid : pids_in(run.output)) EXPECT_TRUE(goes(pid));
}

TEST(Life, a_daemon_that_is_left_is_ended_and_named) {
  for (const Way way : ways()) {
    const Service service;
    const auto run = run_captured(way, client({"daemon", service.port()}));
    const auto pids = pids_in(run.output);
    ASSERT_EQ(pids.size(), 1u) << run.output;
    EXPECT_EQ(WEXITSTATUS(run.status), 0);
    EXPECT_EQ(run.counts.seen, 1u);
    ASSERT_EQ(run.counts.left_over.size(), 1u);
    EXPECT_TRUE(run.counts.left_over[0].ends_with("[" + std::to_string(pids[0]) + "]")) << run.counts.left_over[0];
    EXPECT_EQ(kill(pids[0], 0), -1) << "ended before ended() was called";
  }
}

// A supervisor in a process of its own, its command and a daemon of it.
struct Supervised {
  explicit Supervised(Way way) {
    int out[2];
    EXPECT_EQ(pipe2(out, O_CLOEXEC), 0);
    const auto argv = client({"supervise", std::string(show(way)), "daemon", service.port(), "stay"});
    const auto environment = client_environment();
    supervisor = fork();
    if (supervisor == 0) {
      dup2(out[1], 1);
      std::vector<char*> arguments, variables;
      for (const auto& a : argv) arguments.push_back(const_cast<char*>(a.c_str()));
      for (const auto& v : environment) variables.push_back(const_cast<char*>(v.c_str()));
      arguments.push_back(nullptr);
      variables.push_back(nullptr);
      execve(arguments[0], arguments.data(), variables.data());
      _exit(127);
    }
    close(out[1]);
    FILE* lines = fdopen(out[0], "r");
    char line[128];
    while (pids.size() < 3 && fgets(line, sizeof line, lines))
      for (const pid_t pid : pids_in(line)) pids.push_back(pid);
    fclose(lines);
    std::ifstream children("/proc/" + std::to_string(supervisor) + "/task/" + std::to_string(supervisor) + "/children");
    children >> guard;
  }
  Service service;
  pid_t supervisor = 0;
  pid_t guard = 0;
  std::vector<pid_t> pids;  // the command twice, and its daemon
};

TEST(Life, the_tree_dies_with_its_supervisor) {
  for (const Way way : ways()) {
    SCOPED_TRACE(show(way));
    const Supervised tree(way);
    ASSERT_EQ(tree.pids.size(), 3u);
    kill(tree.supervisor, SIGKILL);
    waitpid(tree.supervisor, nullptr, 0);
    for (const pid_t pid : tree.pids) EXPECT_TRUE(goes(pid));
    EXPECT_TRUE(goes(tree.guard));
  }
}

TEST(Life, the_tree_dies_with_its_guard_and_the_supervisor_is_told) {
  const Supervised tree(ways().front());
  ASSERT_EQ(tree.pids.size(), 3u);
  ASSERT_GT(tree.guard, 0);
  kill(tree.guard, SIGKILL);
  for (const pid_t pid : tree.pids) EXPECT_TRUE(goes(pid));
  int status = -1;
  waitpid(tree.supervisor, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(Life, a_command_that_is_not_there_is_the_users_error) {
  proxy::Loop loop;
  const SystemClock clock;
  struct : proxy::TreeEvents {
    void connected(proxy::Captured) override {}
    void ended(int) override { ADD_FAILURE() << "nothing began"; }
  } events;
  const auto start = [&](std::string program) {
    proxy::Command command;
    command.argv = {std::move(program)};
    command.environment = {"PATH=/usr/bin:/bin"};
    auto tree = proxy::Tree::start(loop, clock, command, ways().front(), events);
    return tree ? Error{"it began", "", Blame::us} : tree.error();
  };
  const auto missing = start("no-such-command-of-ours");
  EXPECT_EQ(missing.line(), "no-such-command-of-ours: command not found");
  EXPECT_EQ(missing.blame, Blame::user);
  EXPECT_EQ(proxy::shell_status(missing), 127);
  const auto no_program = start("/etc/passwd");
  EXPECT_EQ(no_program.line(), "/etc/passwd: the command cannot be run: Permission denied");
  EXPECT_EQ(no_program.blame, Blame::user);
  EXPECT_EQ(proxy::shell_status(no_program), 126);
}

TEST(Life, the_command_finds_itself_as_if_we_were_not_there) {
  proxy::Loop loop;
  const SystemClock clock;
  struct Events final : proxy::TreeEvents {
    explicit Events(proxy::Loop& of) : loop(of) {}
    void connected(proxy::Captured) override {}
    void ended(int) override { loop.stop(); }
    proxy::Loop& loop;
  } events(loop);
  int inherited = 0;  // what the caller of this program left open is the command's too
  for (int fd = 3; fd < 1024; ++fd) {
    const int flags = fcntl(fd, F_GETFD);
    inherited += flags >= 0 && !(flags & FD_CLOEXEC);
  }
  int in[2], out[2];
  ASSERT_EQ(pipe2(in, O_CLOEXEC) | pipe2(out, O_CLOEXEC), 0);
  proxy::Command command;
  command.argv = client({"about"});
  command.environment = client_environment();
  command.directory = "/tmp";
  command.in = in[0];
  command.out = out[1];
  command.ignored_signals = {SIGUSR2};
  signal(SIGPIPE, SIG_IGN);
  auto tree = proxy::Tree::start(loop, clock, command, ways().front(), events);
  signal(SIGPIPE, SIG_DFL);
  ASSERT_TRUE(tree) << tree.error().line();
  ASSERT_EQ(write(in[1], "words", 5), 5);
  close(in[0]), close(in[1]), close(out[1]);
  loop.run();
  char text[512];
  const ssize_t n = read(out[0], text, sizeof text);
  close(out[0]);
  EXPECT_EQ(std::string(text, static_cast<std::size_t>(n)),
            "directory /tmp\nours set\nSIGPIPE default\nSIGUSR2 ignored\nblocked 0, open " + std::to_string(inherited) +
                ", children none\nread words\n");
}

// A script that ends what it has started: trap 'kill 0' EXIT.
TEST(Life, what_a_command_of_its_own_group_sends_to_its_group_does_not_meet_us) {
  proxy::Loop loop;
  const SystemClock clock;
  struct Events final : proxy::TreeEvents {
    explicit Events(proxy::Loop& of) : loop(of) {}
    void connected(proxy::Captured) override {}
    void ended(int with) override { status = with, loop.stop(); }
    proxy::Loop& loop;
    int status = 0;
  } events(loop);
  proxy::Command command;
  command.argv = {"/bin/sh", "-c", "trap 'exit 7' TERM; kill -TTOU $$; kill -TTIN $$; kill 0; exit 8"};
  command.environment = {"PATH=/usr/bin:/bin"};
  command.own_group = true;
  auto tree = proxy::Tree::start(loop, clock, command, ways().front(), events);
  ASSERT_TRUE(tree) << tree.error().line();
  loop.run();
  EXPECT_EQ(WEXITSTATUS(events.status), 7);
}

TEST(Life, the_time_a_tree_has_used_is_known_while_it_runs_and_afterwards) {
  Nanos before = 0;
  RunOptions options;
  options.each_millisecond = [&](proxy::Tree& tree) {
    before = std::max(before, tree.cpu_time());
    if (before >= 50 * kMillisecond) tree.signal(SIGTERM);
  };
  const auto run = run_captured(ways().front(), {"/bin/sh", "-c", "while :; do :; done"}, options);
  EXPECT_EQ(WTERMSIG(run.status), SIGTERM);
  EXPECT_GE(run.cpu_time, before - 10 * kMillisecond);
}

TEST(Life, a_retrial_inside_a_retrial_is_told_in_one_line) {
  const Service service;
  const auto run =
      run_captured(ways().front(), client({"supervise", "getfd", "seq", "127.0.0.1", service.port(), "1"}));
  EXPECT_EQ(run.output,
            "seccomp: a Retrial inside a Retrial: another seccomp listener is above this process, and the kernel "
            "allows one\n");
  EXPECT_EQ(WEXITSTATUS(run.status), 2);
}

TEST(Ways, both_ways_capture_a_real_connect) {
  if (!works(Way::getfd)) GTEST_SKIP() << "pidfd_getfd is refused here";
  for (const Way way : {Way::getfd, Way::rewrite}) {
    const auto well = proxy::try_way(way);
    EXPECT_TRUE(well) << well.error().line();
  }
  const auto way = proxy::choose_way();
  ASSERT_TRUE(way);
  EXPECT_EQ(*way, Way::getfd);
}

TEST(Ways, the_second_can_be_forced_and_another_word_is_refused) {
  setenv("RETRIAL_CAPTURE", "rewrite", 1);
  const auto forced = proxy::choose_way();
  setenv("RETRIAL_CAPTURE", "magic", 1);
  const auto refused = proxy::choose_way();
  unsetenv("RETRIAL_CAPTURE");
  ASSERT_TRUE(forced);
  EXPECT_EQ(*forced, Way::rewrite);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().line(), "RETRIAL_CAPTURE: unknown way of capture \"magic\"; expected getfd or rewrite");
}

TEST(Ways, under_dockers_default_profile_the_second_is_chosen_and_works) {
  const Service service;
  EXPECT_EQ(run_native(client({"docker", "choose"})).output, "rewrite\n");
  const auto run = run_native(client({"docker", "captured", "rewrite", "blocking", "127.0.0.1", service.port()}));
  EXPECT_EQ(run.output,
            "before ENOTCONN\nconnect ok\npeer " + service.address().show() + "\nanswer hello 127.0.0.1\nseen 1\n");
}

TEST(Ways, where_seccomp_is_refused_one_line_says_so) {
  EXPECT_EQ(run_native(client({"no-seccomp", "choose"})).output,
            "seccomp: the kernel or the container refuses seccomp user notification (Linux 5.9 or later has it), and "
            "no other way "
            "of capture is here yet: Operation not permitted\n");
}
}  // namespace
}  // namespace retrial::test

#include "campaign/workload/restart.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <map>
#include <optional>

#include "campaign/report/words.h"

namespace retrial::campaign {
namespace {

constexpr std::string_view kItself = "{}";  // the command line that it had

pid_t start(const std::string& line) {
  if (auto started = fork(); started != 0) return started;
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
  _exit(127);
}

void woken(int) {}

std::string failures_of(const std::string& orders) { return orders + ".failed"; }
// As a shell says it of a command (POSIX, 2.8.2 Exit Status for Commands): not found, or no program.
bool could_not_be_run(int status) {
  return WIFEXITED(status) && (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127);
}

}  // namespace

std::string restart_of(const std::vector<Process>& processes, const std::vector<std::string>& argv) {
  auto all = fmt::format("{}", fmt::join(argv, " ")), itself = report::command_line(argv);
  auto it = std::ranges::find_if(processes, [&](auto& p) { return all.contains(p.match); });
  if (it == processes.end()) return {};
  auto line = it->restart;
  for (auto at = line.find(kItself); at != line.npos; at = line.find(kItself, at + itself.size()))
    line.replace(at, kItself.size(), itself);
  return line;
}

std::vector<std::string> command_line(pid_t process) {
  std::ifstream in(fmt::format("/proc/{}/cmdline", process), std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
  return words;
}

Result<std::unique_ptr<Orders>> Orders::make(std::filesystem::path at) {
  if (mkfifo(at.c_str(), 0600) != 0) return fail_errno("cannot be made", errno, at.string(), Blame::user);
  int fd = open(at.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return fail_errno("cannot be opened", errno, at.string(), Blame::user);
  return std::unique_ptr<Orders>(new Orders(std::move(at), fd));
}
Orders::~Orders() {
  close(fd_);
  std::error_code left;
  std::filesystem::remove(at_, left);
  std::filesystem::remove(failures_of(at_.string()), left);
}
void Orders::give(const std::string& line) const {
  [[maybe_unused]] auto written = write(fd_, line.c_str(), line.size() + 1);
}

std::string Orders::failed() const {
  std::ifstream in(failures_of(at_.string()));
  std::string first;
  std::getline(in, first);
  return first;
}

int wait_for(pid_t child, const std::string& orders) {
  int status = 0;
  int fd = orders.empty() ? -1 : open(orders.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) {
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
  }
  // A child that ends between the look and the wait would else go unseen.
  sigset_t ends, before;
  sigemptyset(&ends);
  sigaddset(&ends, SIGCHLD);
  sigprocmask(SIG_BLOCK, &ends, &before);
  signal(SIGCHLD, woken);
  std::string told;
  std::map<pid_t, std::string> started;
  for (;;) {
    std::optional<int> over;
    for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
      if (ended == child) over = status;
      if (auto it = started.find(ended); it != started.end() && could_not_be_run(status))
        std::ofstream(failures_of(orders), std::ios::app) << it->second << std::endl;
    }
    if (over) return close(fd), *over;
    pollfd from{fd, POLLIN, 0};
    if (ppoll(&from, 1, nullptr, &before) <= 0) continue;
    char buffer[4096];
    if (auto got = read(fd, buffer, sizeof buffer); got > 0) told.append(buffer, static_cast<std::size_t>(got));
    for (auto end = told.find('\0'); end != told.npos; end = told.find('\0')) {
      auto line = told.substr(0, end);
      started[start(line)] = line;
      told.erase(0, end + 1);
    }
  }
}

}  // namespace retrial::campaign

#include "campaign/workload/addr2line.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

extern char** environ;

namespace retrial::campaign {
namespace {

// No function is there: how many lines are told of a place is known by what is told of the next.
constexpr std::string_view kNowhere = "0xffffffffffffffff\n";

bool is_whole(std::string_view answer) {
  auto last = answer.rfind(kNowhere);
  if (last == answer.npos) return false;
  auto function = answer.find('\n', last + kNowhere.size());
  return function != answer.npos && answer.find('\n', function + 1) != answer.npos;
}

}  // namespace

std::unique_ptr<Addr2line> Addr2line::start(const std::string& file) {
  // Sockets, as a write to one whose other end is gone gives no signal.
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return nullptr;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, ends[1], 0);
  posix_spawn_file_actions_adddup2(&files, ends[1], 1);
  posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  pid_t process = -1;
  int error = ENOENT;
  for (std::string reader : {"addr2line", "llvm-addr2line"}) {
    std::string options = "-afiC", of = "-e", path = file;
    std::array<char*, 5> argv = {reader.data(), options.data(), of.data(), path.data(), nullptr};
    if (error == ENOENT) error = posix_spawnp(&process, argv[0], &files, nullptr, argv.data(), environ);
  }
  posix_spawn_file_actions_destroy(&files);
  close(ends[1]);
  if (error == 0) return std::unique_ptr<Addr2line>(new Addr2line(process, ends[0]));
  close(ends[0]);
  return nullptr;
}

Addr2line::~Addr2line() {
  close(channel_);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) continue;
}

std::optional<std::string> Addr2line::ask(const std::vector<std::uint64_t>& places) {
  std::string question;
  for (auto place : places) question += fmt::format("0x{:x}\n", place);
  question += kNowhere;
  for (std::string_view left = question; !left.empty();) {
    auto n = send(channel_, left.data(), left.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return {};
    left.remove_prefix(static_cast<std::size_t>(n));
  }
  std::string answer;
  for (std::array<char, 4096> some{}; !is_whole(answer);) {
    auto n = recv(channel_, some.data(), some.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return {};
    answer.append(some.data(), static_cast<std::size_t>(n));
  }
  return answer;
}

}  // namespace retrial::campaign

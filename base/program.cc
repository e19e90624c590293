#include "base/program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

extern char** environ;

namespace retrial {

std::expected<Printed, int> run_program(std::vector<std::string> words, Complaints complaints) {
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::array<int, 2> pipe{};
  if (pipe2(pipe.data(), O_CLOEXEC) != 0) return std::unexpected(errno);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, pipe[1], 1);
  if (complaints == Complaints::dropped)
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  else
    posix_spawn_file_actions_adddup2(&files, pipe[1], 2);
  pid_t pid = -1;
  int error = posix_spawnp(&pid, argv[0], &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  close(pipe[1]);
  Printed printed;
  std::array<char, 4096> some{};
  for (ssize_t n = 0; error == 0 && ((n = ::read(pipe[0], some.data(), some.size())) > 0 || (n < 0 && errno == EINTR));)
    if (n > 0) printed.out.append(some.data(), static_cast<std::size_t>(n));
  close(pipe[0]);
  if (error) return std::unexpected(error);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  printed.failed = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  return printed;
}

}  // namespace retrial

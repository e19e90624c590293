#include "base/git.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/text.h"

extern char** environ;

namespace retrial {

Result<std::string> git(std::vector<std::string> words, const std::string& asked) {
  words.insert(words.begin(), {"git", "--no-optional-locks"});
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::array<int, 2> pipe{};
  if (pipe2(pipe.data(), O_CLOEXEC) != 0) return fail_errno("no pipe to git", errno);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, pipe[1], 1);
  posix_spawn_file_actions_adddup2(&files, pipe[1], 2);
  pid_t pid = -1;
  int error = posix_spawnp(&pid, "git", &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  close(pipe[1]);
  std::string out;
  std::array<char, 4096> some{};
  for (ssize_t n = 0; error == 0 && ((n = ::read(pipe[0], some.data(), some.size())) > 0 || (n < 0 && errno == EINTR));)
    if (n > 0) out.append(some.data(), static_cast<std::size_t>(n));
  close(pipe[0]);
  if (error == ENOENT) return fail("asks git, and there is no git on PATH", asked, Blame::user);
  if (error) return fail_errno("git cannot be started", error, asked);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return out;
  return fail("git says: " + std::string(trim(out.substr(0, out.find('\n')))), asked, Blame::user);
}

std::optional<std::filesystem::path> repository_around(const std::filesystem::path& folder) {
  std::error_code error;
  for (auto at = folder;; at = at.parent_path()) {
    if (std::filesystem::exists(at / ".git", error)) return at;
    if (!at.has_relative_path()) return {};
  }
}

}  // namespace retrial

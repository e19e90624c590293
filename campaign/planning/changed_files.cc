#include "campaign/planning/changed_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <vector>

#include "base/text.h"

extern char** environ;

namespace retrial::campaign {
namespace {

namespace fs = std::filesystem;

constexpr auto kOption = "--changed-since";

// What it prints; where it fails, the first line of its complaint.
Result<std::string> git(std::vector<std::string> words) {
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
  for (ssize_t n = 0; error == 0 && ((n = read(pipe[0], some.data(), some.size())) > 0 || (n < 0 && errno == EINTR));)
    if (n > 0) out.append(some.data(), static_cast<std::size_t>(n));
  close(pipe[0]);
  if (error == ENOENT) return fail("asks git what has changed, and there is no git on PATH", kOption, Blame::user);
  if (error) return fail_errno("git cannot be started", error, kOption);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return out;
  return fail("git says: " + std::string(trim(out.substr(0, out.find('\n')))), kOption, Blame::user);
}

}  // namespace

Result<ChangedFiles> ChangedFiles::since(const std::string& revision) {
  auto top = git({"rev-parse", "--show-toplevel"});
  if (!top) return std::unexpected(top.error());
  auto commit = git({"rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"});
  if (!commit && commit.error().what.starts_with("git says"))
    return fail(fmt::format("git knows no commit \"{}\" here; a shallow clone has to fetch it first", revision),
                kOption, Blame::user);
  if (!commit) return std::unexpected(commit.error());
  ChangedFiles changed;
  changed.revision_ = revision;
  fs::path root(trim(*top));
  auto differ = git({"-C", root, "diff", "--name-only", "--no-renames", "--no-relative", "--no-ext-diff", "-z",
                     std::string(trim(*commit)), "--"});
  auto untracked = git({"-C", root, "ls-files", "--others", "--exclude-standard", "-z"});
  for (auto* names : {&differ, &untracked}) {
    if (!*names) return std::unexpected(names->error());
    for (auto name : split(**names, '\0'))
      if (!name.empty()) changed.files_.insert((root / name / "").lexically_normal().parent_path());
  }
  return changed;
}

bool ChangedFiles::contains(const std::string& file) const {
  std::error_code error;
  for (auto at = fs::weakly_canonical(fs::absolute(file, error), error); at.has_relative_path(); at = at.parent_path())
    if (files_.contains(at)) return true;
  return false;
}

}  // namespace retrial::campaign

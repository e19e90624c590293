#include "campaign/workload/data_folder.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/text.h"

namespace retrial::campaign {
namespace {

namespace fs = std::filesystem;

// cp(1) knows owners, modes, times, links, holes and reflinks. An error is what it says last.
Result<void> copy(const std::string& from, const fs::path& to) {
  int said[2];
  if (pipe2(said, O_CLOEXEC) != 0) return fail_errno("cannot be copied", errno, from);
  auto pid = fork();
  if (pid == 0) {
    dup2(said[1], 1);
    dup2(said[1], 2);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    execlp("cp", "cp", "-a", "--reflink=auto", from.c_str(), to.c_str(), nullptr);
    _exit(127);
  }
  close(said[1]);
  std::string text;
  char part[4096];
  for (ssize_t n; (n = read(said[0], part, sizeof part)) > 0 || (n < 0 && errno == EINTR);)
    if (n > 0 && text.size() < 65536) text.append(part, static_cast<std::size_t>(n));
  close(said[0]);
  int status = -1;
  while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (status == 0) return {};
  auto first = trim(std::string_view(text).substr(0, text.find('\n')));
  return fail("cannot be copied: " + (first.empty() ? "cp could not be run" : std::string(first)), from, Blame::user);
}

}  // namespace

bool lies_in(const fs::path& inner, const fs::path& folder) {
  auto [end, rest] = std::ranges::mismatch(folder, inner);
  return end == folder.end();
}

Result<void> check_data_folder(const fs::path& folder, const fs::path& ours) {
  std::error_code error;
  if (!fs::is_directory(folder, error))
    return fail("expected a folder that is there before the service starts (it may be empty)", folder.string(),
                Blame::user);
  auto whole = fs::canonical(folder, error);
  auto* home = std::getenv("HOME");
  for (auto& held : {fs::current_path(error), fs::path(home ? home : "/"), ours})
    if (lies_in(fs::weakly_canonical(held, error), whole))
      return fail("expected a folder of the service's own: this one, which holds " + held.string() +
                      ", would be emptied and filled again",
                  folder.string(), Blame::user);
  return {};
}

Result<void> copy_folder(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::remove_all(to, error);
  fs::create_directories(to.parent_path(), error);
  return copy(from.string(), to);
}

Result<void> put_back(const fs::path& folder, const fs::path& copied) {
  std::error_code error;
  std::vector<fs::path> held;
  for (auto at = fs::directory_iterator(folder, error); !error && at != fs::directory_iterator(); at.increment(error))
    held.push_back(at->path());
  for (auto& path : held)
    if (!error) fs::remove_all(path, error);
  if (error)
    return fail("cannot be emptied: " + error.message() + "; what it held at first is in " + copied.string(),
                folder.string(), Blame::user);
  if (auto ok = copy(copied.string() + "/.", folder); !ok)
    return fail(ok.error().what + "; what it held at first is in " + copied.string(), folder.string(), Blame::user);
  return {};
}

Result<void> mount_over(const fs::path& folder, const fs::path& copy) {
  if (mount(copy.c_str(), folder.c_str(), nullptr, MS_BIND, nullptr) == 0) return {};
  return fail_errno("no copy can be mounted here", errno, folder.string());
}

}  // namespace retrial::campaign

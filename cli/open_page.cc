#include "cli/open_page.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace retrial::cli {
namespace {

// Gives the command's status, 127 where it is not there.
int started(const std::string& command, const std::string& page) {
  auto child = fork();
  if (child == 0) {
    execlp(command.c_str(), command.c_str(), page.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return 127;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

Result<void> open_page(const std::filesystem::path& page) {
  auto path = std::filesystem::absolute(page).lexically_normal().string();
  const char* chosen = std::getenv("BROWSER");
  bool named = chosen && *chosen;
  std::string command = named ? chosen : "xdg-open";
  auto status = started(command, path);
  if (status == 0) return {};
  if (status != 127)
    return fail(fmt::format("{} ended with status {}: open it by hand", command, status), path, Blame::user);
  return fail(named ? fmt::format("{}, which $BROWSER names, was not found: open it by hand", chosen)
                    : std::string("no browser was found (xdg-open): open it by hand, or name one in $BROWSER"),
              path, Blame::user);
}

}  // namespace retrial::cli

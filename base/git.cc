#include "base/git.h"

#include <cerrno>

#include "base/program.h"
#include "base/text.h"

namespace retrial {

Result<std::string> git(std::vector<std::string> words, const std::string& asked) {
  words.insert(words.begin(), {"git", "--no-optional-locks"});
  auto printed = run_program(std::move(words), Complaints::among_the_rest);
  if (!printed && printed.error() == ENOENT) return fail("asks git, and there is no git on PATH", asked, Blame::user);
  if (!printed) return fail_errno("git cannot be started", printed.error(), asked);
  if (!printed->failed) return std::move(printed->out);
  return fail("git says: " + std::string(trim(printed->out.substr(0, printed->out.find('\n')))), asked, Blame::user);
}

}  // namespace retrial

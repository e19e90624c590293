#include "campaign/workload/command.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/text.h"
#include "campaign/workload/adapters/adapter.h"

namespace retrial::campaign {

std::vector<std::string> command_to_run(const std::vector<std::string>& argv) {
  auto script = resolve_script(argv, ".");
  return adapter_for(script).runner().whole ? argv : script;
}

Result<void> find_command(const std::string& word) {
  auto runs = [](const std::filesystem::path& file) {
    std::error_code error;
    return !std::filesystem::is_directory(file, error) && access(file.c_str(), X_OK) == 0;
  };
  auto* path = std::getenv("PATH");
  bool found = word.contains('/') ? runs(word) : false;
  if (!word.contains('/'))
    for (auto folder : split(path ? path : "/bin:/usr/bin", ':'))
      found = found || runs(std::filesystem::path(folder.empty() ? "." : folder) / word);
  if (found) return {};
  std::error_code error;
  if (word.contains('/') && std::filesystem::exists(word, error))
    return fail("may not be executed: chmod +x it, or name what runs it", word, Blame::user);
  return fail(word.contains('/') ? "there is no such file to run"
                                 : "no such command is on PATH; behind -- stands the test command as you always run it",
              word, Blame::user);
}

}  // namespace retrial::campaign

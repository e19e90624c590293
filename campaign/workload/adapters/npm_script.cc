#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "campaign/workload/adapters/adapter.h"

namespace retrial::campaign {

namespace {

// npm runs the programs of the project's packages by their names.
void find_program(std::vector<std::string>& words, const std::string& directory) {
  auto assigns = [](const std::string& word) { return word.contains('='); };
  if (assigns(words.front())) words.insert(words.begin(), "env");
  auto program = words.begin();
  if (*program == "cross-env") *program = "env";
  if (*program == "env") program = std::find_if_not(program + 1, words.end(), assigns);
  std::error_code error;
  if (program == words.end() || program->contains('/')) return;
  auto installed = "node_modules/.bin/" + *program;
  if (std::filesystem::exists(std::filesystem::path(directory) / installed, error)) *program = installed;
}

}  // namespace

std::vector<std::string> resolve_script(const std::vector<std::string>& argv, const std::string& directory) {
  auto name = argv.empty() ? "" : program_name(argv[0]);
  if (name != "npm" && name != "yarn" && name != "pnpm") return argv;
  std::size_t at = argv.size() > 1 && (argv[1] == "run" || argv[1] == "run-script") ? 2 : 1;
  if (at >= argv.size()) return argv;
  auto script = argv[at] == "t" ? std::string("test") : argv[at];
  std::ifstream in(directory + "/package.json");
  auto package = nlohmann::json::parse(in, nullptr, false);
  if (!package.is_object() || !package.contains("scripts") || !package["scripts"].contains(script) ||
      !package["scripts"][script].is_string())
    return argv;
  // npm runs these around it.
  if (package["scripts"].contains("pre" + script) || package["scripts"].contains("post" + script)) return argv;
  auto line = package["scripts"][script].get<std::string>();
  if (line.find_first_of("&|;<>$`\"'\\(){}*?\n") != line.npos) return argv;
  std::vector<std::string> words;
  for (auto word : split(line, ' '))
    if (!word.empty()) words.emplace_back(word);
  for (std::size_t i = at + 1; i < argv.size(); i++)
    if (argv[i] != "--") words.push_back(argv[i]);
  if (words.empty()) return argv;
  find_program(words, directory);
  return words;
}

}  // namespace retrial::campaign

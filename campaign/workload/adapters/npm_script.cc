#include <fstream>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "campaign/workload/adapters/adapter.h"

namespace retrial::campaign {

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
  auto line = package["scripts"][script].get<std::string>();
  if (line.find_first_of("&|;<>$`\"'\\(){}*?\n") != line.npos) return argv;
  std::vector<std::string> words;
  for (auto word : split(line, ' '))
    if (!word.empty()) words.emplace_back(word);
  for (std::size_t i = at + 1; i < argv.size(); i++)
    if (argv[i] != "--") words.push_back(argv[i]);
  return words.empty() ? argv : words;
}

}  // namespace retrial::campaign

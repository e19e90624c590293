#include "campaign/workload/adapters/node_program.h"

#include <algorithm>
#include <filesystem>

#include "campaign/workload/adapters/registry.h"

namespace retrial::campaign {
namespace {

constexpr std::string_view kLaunchers[] = {"env",  "cross-env", "npx",    "npm", "yarn", "pnpm",
                                           "pnpx", "node",      "nodejs", "nyc", "c8"};
constexpr std::string_view kVerbs[] = {"exec", "x", "run", "dlx"};  // of npm, yarn and pnpm

// What may stand before the program: `before` is the word before this one.
bool launches(const std::string& word, std::string_view before) {
  return word.starts_with('-') || word.contains('=') || (before.starts_with('-') && !before.contains('=')) ||
         std::ranges::count(kLaunchers, program_name(word)) || std::ranges::count(kVerbs, word);
}

std::string_view without_ending(std::string_view name) {
  for (std::string_view ending : {".js", ".cjs", ".mjs"})
    if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  return name;
}

}  // namespace

std::optional<std::size_t> node_program_at(const std::vector<std::string>& argv,
                                           std::initializer_list<std::string_view> names) {
  for (std::size_t i = 0; i < argv.size(); i++) {
    if (std::ranges::count(names, without_ending(program_name(argv[i])))) return i;
    if (!launches(argv[i], i > 0 ? argv[i - 1] : "")) return {};
  }
  return {};
}

std::vector<std::string> NodeRunner::files_of(const std::vector<std::string>& tests) {
  std::vector<std::string> files;
  for (auto& test : tests)
    if (auto file = test.substr(0, test.find(" > ")); std::ranges::find(files, file) == files.end())
      files.push_back(std::move(file));
  bool all = std::ranges::all_of(files, [](auto& file) { return std::filesystem::exists(file); });
  return all ? files : std::vector<std::string>();
}

}  // namespace retrial::campaign

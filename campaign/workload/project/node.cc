// How a project of Node.js is tested: by the script that its package.json has for it, else by the runner that it has
// installed, else by Node's own where files are named like its tests.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "campaign/workload/project/kinds.h"

namespace retrial::campaign {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// null: there is none, or none that can be read.
Json package_of(const fs::path& project) {
  auto package = Json::parse(text_in(project / "package.json"), nullptr, false);
  return package.is_object() ? package : Json();
}

std::string text_at(const Json& object, const std::string& key) {
  auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

// Its word in package.json (Corepack's), else its lock file.
std::string manager(const fs::path& project, const Json& package) {
  auto said = text_at(package, "packageManager");
  for (auto [name, lock] : {std::pair{"pnpm", "pnpm-lock.yaml"}, {"yarn", "yarn.lock"}})
    if (said.starts_with(std::string(name) + "@") || (said.empty() && is_in(project, lock))) return name;
  return "npm";
}

bool depends_on(const Json& package, const char* name) {
  for (auto kind : {"devDependencies", "dependencies"})
    if (auto it = package.find(kind); it != package.end() && it->is_object() && it->contains(name)) return true;
  return false;
}

bool is_node_test(const fs::path& file) {
  auto ending = file.extension();
  return (ending == ".js" || ending == ".mjs" || ending == ".cjs") && file.stem().string().ends_with(".test");
}

}  // namespace

std::optional<TestCommand> package_script(const fs::path& project) {
  auto package = package_of(project);
  auto scripts = package.is_null() ? package.end() : package.find("scripts");
  auto script = scripts != package.end() && scripts->is_object() ? text_at(*scripts, "test") : std::string();
  if (script.empty() || script.contains("no test specified")) return {};  // `npm init` writes this one
  return TestCommand{{manager(project, package), "test"}, "package.json: scripts.test"};
}

std::optional<TestCommand> installed_runner(const fs::path& project) {
  auto package = package_of(project);
  if (package.is_null() || package_script(project)) return {};
  const std::array<std::pair<const char*, std::vector<std::string>>, 3> runners{
      {{"vitest", {"npx", "vitest", "run"}}, {"jest", {"npx", "jest"}}, {"mocha", {"npx", "mocha"}}}};
  for (auto& [name, argv] : runners)
    if (depends_on(package, name)) return TestCommand{argv, std::string("package.json: ") + name};
  return {};
}

std::optional<TestCommand> node_test_files(const fs::path& project) {
  if (package_script(project) || installed_runner(project)) return {};
  std::set<std::string> files;
  for (std::string folder : {".", "test", "tests", "src"}) {
    std::error_code error;
    for (fs::directory_iterator it(project / folder, error), end; !error && it != end; it.increment(error))
      if (is_node_test(it->path()))
        files.insert((fs::path(folder) / it->path().filename()).lexically_normal().string());
  }
  if (files.empty()) return {};
  return TestCommand{{"node", "--test"}, *files.begin()};
}

}  // namespace retrial::campaign

// How a project in Python is tested: by pytest where its configuration or its tests speak of it, else by unittest.
#include <algorithm>
#include <cstdlib>
#include <set>

#include "base/text.h"
#include "campaign/workload/project/kinds.h"
#include "trace/toml/toml.h"

namespace retrial::campaign {
namespace {

namespace fs = std::filesystem;

constexpr int kFoldersDeep = 4;
constexpr std::size_t kMostFiles = 200;

// What starts the project's own interpreter: the environment that is active, one in its folder, its manager's, or the
// machine's.
std::vector<std::string> interpreter(const fs::path& project) {
  const char* active = std::getenv("VIRTUAL_ENV");
  if (active && *active) return {"python"};
  for (std::string folder : {".venv", "venv", "env"})
    if (is_in(project, folder + "/pyvenv.cfg")) return {folder + "/bin/python"};
  for (std::string manager : {"uv", "poetry"})
    if (is_in(project, manager + ".lock")) return {manager, "run", "python"};
  return {"python3"};
}

TestCommand by_module(const fs::path& project, std::vector<std::string> words, std::string because) {
  auto argv = interpreter(project);
  argv.push_back("-m");
  argv.insert(argv.end(), words.begin(), words.end());
  return {std::move(argv), std::move(because)};
}

bool is_foreign(const fs::path& folder) {
  auto name = folder.filename().string();
  return name.starts_with('.') || name == "node_modules" || name == "build" || name == "dist" || name == "target" ||
         is_in(folder, "pyvenv.cfg");
}

// Relative to the project, in the order of their names.
std::set<fs::path> python_tests(const fs::path& project) {
  std::set<fs::path> found;
  std::error_code error;
  auto skip = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator it(project, skip, error), end; !error && it != end; it.increment(error)) {
    std::error_code unknown;
    if (it->is_directory(unknown)) {
      if (it.depth() + 1 >= kFoldersDeep || is_foreign(it->path())) it.disable_recursion_pending();
      continue;
    }
    auto stem = it->path().stem().string();
    if (it->path().extension() != ".py" || !(stem.starts_with("test_") || stem.ends_with("_test"))) continue;
    found.insert(it->path().lexically_relative(project));
    if (found.size() == kMostFiles) break;
  }
  return found;
}

bool is_for_pytest(const std::string& text) {
  return has_line(text, "import pytest") || has_line(text, "from pytest") || text.contains("\ndef test_") ||
         text.starts_with("def test_") || text.contains("\nasync def test_");
}

}  // namespace

std::optional<TestCommand> configured_pytest(const fs::path& project) {
  trace::Errors unread;
  if (auto table = trace::parse_toml(text_in(project / "pyproject.toml"), "pyproject.toml", unread))
    for (std::string section : {"tool.pytest.ini_options", "tool.pytest"})
      if (table->at_path(section).is_table())
        return by_module(project, {"pytest"}, "pyproject.toml: [" + section + "]");
  for (auto file : {"pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml"})
    if (is_in(project, file)) return by_module(project, {"pytest"}, file);
  for (auto [file, section] : {std::pair{"tox.ini", "[pytest]"}, {"setup.cfg", "[tool:pytest]"}})
    if (has_line(text_in(project / file), section))
      return by_module(project, {"pytest"}, std::string(file) + ": " + section);
  for (auto file : {"conftest.py", "tests/conftest.py", "test/conftest.py"})
    if (is_in(project, file)) return by_module(project, {"pytest"}, file);
  return {};
}

std::optional<TestCommand> python_test_files(const fs::path& project) {
  if (configured_pytest(project)) return {};
  auto files = python_tests(project);
  for (auto& file : files)
    if (is_for_pytest(text_in(project / file))) return by_module(project, {"pytest"}, file.string());
  auto first = std::ranges::find_if(files, [&](auto& file) { return text_in(project / file).contains("unittest"); });
  if (first == files.end()) return {};
  // By itself it looks here and in packages below, for test*.py.
  auto folder = first->parent_path();
  bool found = folder.empty() || is_in(project, (folder / "__init__.py").string());
  std::vector<std::string> words = {"unittest"};
  if (!found) words.insert(words.end(), {"discover", "-s", folder.string()});
  return by_module(project, std::move(words), first->string());
}

}  // namespace retrial::campaign

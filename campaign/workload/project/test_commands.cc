#include "campaign/workload/project/test_commands.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

#include "base/text.h"
#include "campaign/workload/project/kinds.h"

namespace retrial::campaign {
namespace {

namespace fs = std::filesystem;

std::optional<TestCommand> go(const fs::path& project) {
  if (!is_in(project, "go.mod")) return {};
  return TestCommand{{"go", "test", "./..."}, "go.mod"};
}

std::optional<TestCommand> cargo(const fs::path& project) {
  if (!is_in(project, "Cargo.toml")) return {};
  return TestCommand{{"cargo", "test"}, "Cargo.toml"};
}

// A project's own wrapper goes before what is installed.
std::optional<TestCommand> maven(const fs::path& project) {
  if (!is_in(project, "pom.xml")) return {};
  return TestCommand{{is_in(project, "mvnw") ? "./mvnw" : "mvn", "test"}, "pom.xml"};
}

// A daemon is no child of the command; and what passed once is not run again.
std::optional<TestCommand> gradle(const fs::path& project) {
  for (auto file : {"build.gradle", "build.gradle.kts"})
    if (is_in(project, file))
      return TestCommand{{is_in(project, "gradlew") ? "./gradlew" : "gradle", "--no-daemon", "cleanTest", "test"},
                         file};
  return {};
}

// Where a build has left its tests: here, in a folder that CMake's users call so, or in one below `build`.
std::optional<TestCommand> ctest(const fs::path& project) {
  constexpr auto kTests = "CTestTestfile.cmake";
  if (is_in(project, kTests)) return TestCommand{{"ctest"}, kTests};
  std::vector<std::string> folders;
  std::error_code error;
  for (fs::directory_iterator it(project, error), end; !error && it != end; it.increment(error))
    if (auto name = it->path().filename().string(); name == "build" || name.starts_with("cmake-build"))
      folders.push_back(name);
  for (fs::directory_iterator it(project / "build", error), end; !error && it != end; it.increment(error))
    folders.push_back("build/" + it->path().filename().string());
  std::ranges::sort(folders);
  for (auto& folder : folders)
    if (is_in(project, folder + "/" + kTests))
      return TestCommand{{"ctest", "--test-dir", folder}, folder + "/" + kTests};
  return {};
}

std::optional<TestCommand> tox(const fs::path& project) {
  if (!is_in(project, "tox.ini")) return {};
  return TestCommand{{"tox"}, "tox.ini"};
}

std::optional<TestCommand> make(const fs::path& project) {
  for (auto file : {"GNUmakefile", "makefile", "Makefile"}) {
    auto text = text_in(project / file);
    for (std::string target : {"test", "check"})
      if (text.starts_with(target + ":") || text.contains("\n" + target + ":"))
        return TestCommand{{"make", target}, std::string(file) + ": " + target};
  }
  return {};
}

// The likeliest first: what a file says in so many words; then what the names of files look like; then commands that
// may start a runner.
constexpr std::array kKinds = {configured_pytest, package_script,  go,  cargo, maven, gradle, ctest, python_test_files,
                               installed_runner,  node_test_files, tox, make};

}  // namespace

std::string text_in(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool has_line(std::string_view text, std::string_view begin) {
  return std::ranges::any_of(split(text, '\n'), [&](auto line) { return trim(line).starts_with(begin); });
}

bool is_in(const fs::path& project, const std::string& file) {
  std::error_code error;
  return fs::is_regular_file(project / file, error);
}

std::vector<TestCommand> test_commands(const fs::path& project) {
  std::vector<TestCommand> found;
  for (auto* kind : kKinds) {
    auto command = kind(project);
    bool known = command && std::ranges::any_of(found, [&](auto& f) { return f.argv == command->argv; });
    if (command && !known) found.push_back(std::move(*command));
  }
  return found;
}

}  // namespace retrial::campaign

#include "campaign/workload/project/test_commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <map>

#include "campaign/workload/adapters/adapter.h"
#include "campaign/workload/project/published_ports.h"
#include "tests/support/folder.h"
#include "tests/support/variables.h"

namespace retrial::campaign {
namespace {

using Project = std::map<std::string, std::string>;  // its files

// "the first command | the next", each with the file that speaks for it in brackets.
std::string commands_of(const Project& files) {
  test::Variables none({{"VIRTUAL_ENV", ""}});
  test::Folder folder;
  for (auto& [name, text] : files) folder.write(name, text);
  std::vector<std::string> told;
  for (auto& command : test_commands(folder.path()))
    told.push_back(fmt::format("{} [{}]", fmt::join(command.argv, " "), command.because));
  return fmt::format("{}", fmt::join(told, " | "));
}

struct Row {
  Project files;
  std::string commands;
};

TEST(TestCommands, what_a_projects_own_files_say_is_its_command) {
  const std::vector<Row> rows = {
      {{{"pyproject.toml", "[tool.pytest.ini_options]\naddopts = \"-q\"\n"}},
       "python3 -m pytest [pyproject.toml: [tool.pytest.ini_options]]"},
      {{{"pyproject.toml", "[tool.pytest]\n"}}, "python3 -m pytest [pyproject.toml: [tool.pytest]]"},
      {{{"pytest.ini", ""}}, "python3 -m pytest [pytest.ini]"},
      {{{"setup.cfg", "[metadata]\nname = a\n\n[tool:pytest]\n"}}, "python3 -m pytest [setup.cfg: [tool:pytest]]"},
      {{{"tests/conftest.py", ""}}, "python3 -m pytest [tests/conftest.py]"},
      {{{"test_a.py", "import unittest\n"}, {"b/test_b.py", "def test_b(): pass\n"}},
       "python3 -m pytest [b/test_b.py]"},
      {{{"test_a.py", "import unittest\n"}}, "python3 -m unittest [test_a.py]"},
      {{{"tests/__init__.py", ""}, {"tests/test_a.py", "import unittest\n"}}, "python3 -m unittest [tests/test_a.py]"},
      {{{"tests/test_a.py", "import unittest\n"}}, "python3 -m unittest discover -s tests [tests/test_a.py]"},
      {{{"package.json", R"({"scripts": {"test": "mocha"}, "devDependencies": {"mocha": "1"}})"}},
       "npm test [package.json: scripts.test]"},
      {{{"package.json", R"({"scripts": {"test": "jest"}})"}, {"pnpm-lock.yaml", ""}},
       "pnpm test [package.json: scripts.test]"},
      {{{"package.json", R"({"scripts": {"test": "jest"}, "packageManager": "yarn@4.1.0"})"}},
       "yarn test [package.json: scripts.test]"},
      {{{"package.json", R"({"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}})"},
        {"test/b.test.mjs", ""},
        {"test/a.test.js", ""}},
       "node --test [test/a.test.js]"},
      {{{"package.json", R"({"devDependencies": {"vitest": "4"}})"}}, "npx vitest run [package.json: vitest]"},
      {{{"go.mod", ""}}, "go test ./... [go.mod]"},
      {{{"Cargo.toml", ""}}, "cargo test [Cargo.toml]"},
      {{{"pom.xml", ""}}, "mvn test [pom.xml]"},
      {{{"pom.xml", ""}, {"mvnw", ""}}, "./mvnw test [pom.xml]"},
      {{{"build.gradle.kts", ""}, {"gradlew", ""}}, "./gradlew --no-daemon cleanTest test [build.gradle.kts]"},
      {{{"build/CTestTestfile.cmake", ""}}, "ctest --test-dir build [build/CTestTestfile.cmake]"},
      {{{"build/debug/CTestTestfile.cmake", ""}}, "ctest --test-dir build/debug [build/debug/CTestTestfile.cmake]"},
      {{{"Makefile", "all:\n\ttrue\ncheck: all\n\t./check\n"}}, "make check [Makefile: check]"},
      {{{"tox.ini", "[testenv]\n"}}, "tox [tox.ini]"},
  };
  for (auto& row : rows) EXPECT_EQ(commands_of(row.files), row.commands);
}

TEST(TestCommands, several_are_told_the_likeliest_first) {
  EXPECT_EQ(commands_of({{"Makefile", "test:\n\tgo test\n"}, {"go.mod", ""}, {"pytest.ini", ""}}),
            "python3 -m pytest [pytest.ini] | go test ./... [go.mod] | make test [Makefile: test]");
}

TEST(TestCommands, a_projects_own_interpreter_goes_before_the_machines) {
  EXPECT_EQ(commands_of({{"pytest.ini", ""}, {".venv/pyvenv.cfg", ""}}), ".venv/bin/python -m pytest [pytest.ini]");
  EXPECT_EQ(commands_of({{"pytest.ini", ""}, {"uv.lock", ""}}), "uv run python -m pytest [pytest.ini]");
  test::Folder folder;
  folder.write("pytest.ini", "");
  folder.write(".venv/pyvenv.cfg", "");
  test::Variables active({{"VIRTUAL_ENV", "/somewhere"}});
  EXPECT_EQ(test_commands(folder.path()).at(0).argv, (std::vector<std::string>{"python", "-m", "pytest"}));
}

TEST(TestCommands, what_others_have_brought_along_and_what_cannot_be_read_says_nothing) {
  EXPECT_EQ(commands_of({}), "");
  EXPECT_EQ(commands_of({{"node_modules/a/test_a.py", "def test_a(): pass\n"},
                         {"env/pyvenv.cfg", ""},
                         {"env/lib/test_a.py", "def test_a(): pass\n"},
                         {".hidden/test_a.py", "def test_a(): pass\n"},
                         {"one/two/three/four/test_a.py", "def test_a(): pass\n"}}),
            "");
  EXPECT_EQ(commands_of({{"pyproject.toml", "[tool.pytest"}, {"package.json", "{"}, {"Makefile", "\ttest:\n"}}), "");
  EXPECT_EQ(commands_of({{"package.json", R"({"scripts": ["test"]})"}}), "");
  EXPECT_TRUE(test_commands("/no/such/folder").empty());
}

TEST(TestCommands, each_that_is_found_by_a_runners_own_files_is_known_to_an_adapter) {
  for (Project files : {Project{{"pytest.ini", ""}},
                        {{"test_a.py", "import unittest\n"}},
                        {{"go.mod", ""}},
                        {{"pom.xml", ""}},
                        {{"Cargo.toml", ""}},
                        {{"CTestTestfile.cmake", ""}},
                        {{"test/a.test.js", ""}},
                        {{"package.json", R"({"dependencies": {"jest": "1"}})"}},
                        {{"package.json", R"({"dependencies": {"mocha": "1"}})"}},
                        {{"package.json", R"({"dependencies": {"vitest": "1"}})"}}}) {
    test::Folder folder;
    for (auto& [name, text] : files) folder.write(name, text);
    auto found = test_commands(folder.path());
    ASSERT_EQ(found.size(), 1u);
    EXPECT_FALSE(adapter_for(found[0].argv).runner().whole) << found[0].because;
  }
}

TEST(PublishedPorts, are_read_in_each_of_compose_s_forms) {
  test::Folder folder;
  folder.write("compose.yaml", R"(
services:
  queue: {image: q, ports: ["127.0.0.1:10001:10001/tcp", "9000-9001:80", "7000"]}
  web:
    ports:
      - 8080:80
      - {published: 8443, target: 443}
      - published: "8444"
        target: 443
      - "${PORT:-1}:80"
  none: {image: n}
)");
  auto ports = published_ports(folder.path());
  std::vector<std::string> told;
  for (auto& [port, by] : ports) told.push_back(port + " " + by.service + " " + by.file);
  EXPECT_EQ(told, (std::vector<std::string>{"10001 queue compose.yaml", "8080 web compose.yaml",
                                            "8443 web compose.yaml", "8444 web compose.yaml"}));
  folder.write("compose.yaml", "services: [\n");
  EXPECT_TRUE(published_ports(folder.path()).empty());
}

}  // namespace
}  // namespace retrial::campaign

#include "campaign/workload/adapters/adapter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "campaign/workload/one_by_one.h"
#include "tests/support/docs.h"

namespace retrial::campaign {
namespace {

using Words = std::vector<std::string>;

// A project folder that is the working directory while the test runs.
class Project : public testing::Test {
 protected:
  void SetUp() override {
    home_ = std::filesystem::current_path();
    auto pattern = (std::filesystem::temp_directory_path() / "projectXXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    std::filesystem::current_path(folder_);
  }
  void TearDown() override {
    std::filesystem::current_path(home_);
    std::filesystem::remove_all(folder_);
  }
  void write(const std::filesystem::path& file, const char* text = "") {
    if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  std::filesystem::path home_, folder_;
};
using Adapters = Project;

TEST_F(Adapters, pytest_is_known_by_any_path_and_as_a_module_and_behind_a_launcher) {
  for (auto& argv :
       {Words{"pytest"}, Words{"/venv/bin/py.test", "-q"}, Words{".venv/bin/python3.11", "-m", "pytest", "tests"},
        Words{"coverage", "run", "-m", "pytest"}, Words{"uv", "run", "pytest"}})
    EXPECT_EQ(adapter_for(argv).runner().name, "pytest") << argv[0];
}

TEST_F(Adapters, other_runners_are_known_and_what_is_not_is_one_test) {
  EXPECT_EQ(adapter_for({"python", "-m", "unittest", "discover"}).runner().name, "unittest");
  EXPECT_EQ(adapter_for({"/usr/bin/node", "--import", "./x.mjs", "--test"}).runner().name, "node:test");
  EXPECT_EQ(adapter_for({"node", "server.js"}).runner().name, "command");
  EXPECT_EQ(adapter_for({"env", "--test", "node"}).runner().name, "command");
  EXPECT_TRUE(adapter_for({"make", "check"}).runner().whole);
}

TEST_F(Adapters, a_pytest_test_alone_keeps_the_options_and_narrows_the_paths_to_its_file) {
  write("tests/test_a.py");
  write("tests/skipped/test_b.py");
  Words argv{"python", "-m", "pytest", "-q", "tests", "--ignore", "tests/skipped", "-k", "tests"};
  auto launch = adapter_for(argv).only(argv, {"tests/test_a.py::test_x[a b]"}, false);
  EXPECT_EQ(launch.argv,
            (Words{"python", "-m", "pytest", "-q", "--ignore", "tests/skipped", "-k", "tests", "tests/test_a.py"}));
  EXPECT_EQ(launch.only, "tests/test_a.py::test_x[a b]");
}

TEST_F(Adapters, a_pytest_id_that_is_relative_to_another_root_leaves_the_command_as_it_is) {
  Words argv{"pytest", "-q", "sub"};
  EXPECT_EQ(adapter_for(argv).only(argv, {"sub/test_a.py::test_x"}, false).argv, argv);
}

TEST_F(Adapters, a_node_test_alone_is_named_by_a_pattern_that_ends_in_its_own_name) {
  Words argv{"node", "--import",   "./setup.mjs", "--test", "--test-timeout=100", "--test-name-pattern",
             "old",  "a.test.mjs", "b.test.mjs"};
  auto launch = adapter_for(argv).only(argv, {"a.test.mjs > suite > costs $1 (net)"}, false);
  EXPECT_EQ(launch.argv,
            (Words{"node", "--import", "./setup.mjs", "--test-name-pattern=/costs \\$1 \\(net\\)$/", "a.test.mjs"}));
}

TEST_F(Adapters, the_wide_form_names_the_tests_around_a_subtest_too) {
  Words argv{"node", "--test"};
  auto launch = adapter_for(argv).only(argv, {"a.test.mjs > outer > inner"}, true);
  EXPECT_EQ(launch.argv, (Words{"node", "--test-name-pattern=/inner$/", "--test-name-pattern=/outer$/", "a.test.mjs"}));
}

TEST_F(Adapters, node_tests_of_two_files_a_file_without_tests_and_options_of_the_runner_alone_need_the_runner) {
  Words argv{"node", "--test"};
  auto& node = adapter_for(argv);
  EXPECT_EQ(node.only(argv, {"a.mjs > x", "b.mjs > y"}, false).argv,
            (Words{"node", "--test", "--test-concurrency=1", "--test-name-pattern=/x$/", "--test-name-pattern=/y$/",
                   "a.mjs", "b.mjs"}));
  EXPECT_EQ(node.only(argv, {"a.mjs"}, false).argv, (Words{"node", "--test", "--test-concurrency=1", "a.mjs"}));
  EXPECT_EQ(node.only({"node", "--test", "--test-global-setup=s.mjs"}, {"a.mjs > x"}, false).argv,
            (Words{"node", "--test", "--test-concurrency=1", "--test-name-pattern=/x$/", "--test-global-setup=s.mjs",
                   "a.mjs"}));
}

TEST_F(Adapters, a_test_that_is_executed_again_is_named_to_its_runner_as_that_can) {
  const std::vector<std::string> unittest{"a.T.x", "a.T.x [again 2]"}, node{"a.mjs > x", "a.mjs > x [again 2]"};
  Words argv{"python", "-m", "unittest"};
  auto launch = adapter_for(argv).only(argv, unittest, false);
  EXPECT_EQ(launch.argv, (Words{"python", "-m", "unittest", "a.T.x", "a.T.x"}));
  EXPECT_EQ(launch.only, "a.T.x\na.T.x [again 2]");
  argv = {"node", "--test"};
  launch = adapter_for(argv).only(argv, node, false);
  EXPECT_EQ(launch.argv, (Words{"node", "--test-name-pattern=/x$/", "a.mjs"}));
  EXPECT_EQ(launch.only, "a.mjs > x\na.mjs > x [again 2]");
  EXPECT_EQ(adapter_for(argv).only(argv, {"a.mjs > x"}, false).only, "")
      << "a runner that it starts has tests of its own";
  for (auto* adapter : adapters())
    EXPECT_EQ(adapter->runner().executes_again, (std::set<std::string_view>{"pytest", "unittest", "node:test", "mocha",
                                                                            "jest", "vitest", "go test", "maven"}
                                                     .contains(adapter->runner().name)));
}

TEST_F(Adapters, a_unittest_test_alone_is_named_from_the_folder_that_discovery_starts_in) {
  write("checks/test_a.py");
  Words argv{"python", "-m", "unittest", "discover", "-s", "checks", "-v"};
  auto launch = adapter_for(argv).only(argv, {"test_a.T.test_x"}, false);
  EXPECT_EQ(launch.argv, (Words{"python", "-m", "unittest", "-v", "test_a.T.test_x"}));
  ASSERT_EQ(launch.paths.size(), 1u);
  EXPECT_EQ(launch.paths[0].variable, "PYTHONPATH");
  EXPECT_EQ(std::filesystem::path(launch.paths[0].value), std::filesystem::absolute("checks"));
}

TEST_F(Adapters, npm_test_is_the_script_where_that_is_one_plain_command) {
  write("package.json", R"({"scripts": {"test": "node --test", "both": "tsc && node --test"}})");
  EXPECT_EQ(resolve_script({"npm", "test"}, "."), (Words{"node", "--test"}));
  EXPECT_EQ(resolve_script({"npm", "run", "test", "--", "a.test.mjs"}, "."), (Words{"node", "--test", "a.test.mjs"}));
  EXPECT_EQ(resolve_script({"npm", "run", "both"}, "."), (Words{"npm", "run", "both"}));
  EXPECT_EQ(resolve_script({"npm", "run", "missing"}, "."), (Words{"npm", "run", "missing"}));
  EXPECT_EQ(resolve_script({"node", "--test"}, "."), (Words{"node", "--test"}));
}

TEST_F(Adapters, an_npm_script_is_run_by_the_program_of_the_project_with_what_it_assigns) {
  write("node_modules/.bin/mocha");
  write("package.json", R"({"scripts": {"test": "mocha --exit test", "assigns": "A=1 NODE_ENV=test mocha", "crosses":
    "cross-env A=1 mocha -R dot", "elsewhere": "jest", "pretwo": "tsc", "two": "mocha", "empty": " "}})");
  EXPECT_EQ(resolve_script({"npm", "test"}, "."), (Words{"node_modules/.bin/mocha", "--exit", "test"}));
  EXPECT_EQ(resolve_script({"yarn", "assigns"}, "."),
            (Words{"env", "A=1", "NODE_ENV=test", "node_modules/.bin/mocha"}));
  EXPECT_EQ(resolve_script({"npm", "run", "crosses", "--", "a.js"}, "."),
            (Words{"env", "A=1", "node_modules/.bin/mocha", "-R", "dot", "a.js"}));
  EXPECT_EQ(resolve_script({"npm", "run", "elsewhere"}, "."), (Words{"jest"}));
  EXPECT_EQ(resolve_script({"npm", "run", "two"}, "."), (Words{"npm", "run", "two"}));
  EXPECT_EQ(resolve_script({"npm", "run", "empty"}, "."), (Words{"npm", "run", "empty"}));
}

TEST_F(Adapters, mocha_is_known_by_its_program_behind_launchers_and_not_by_an_argument) {
  for (auto& argv : {Words{"mocha"}, Words{"npx", "mocha", "-R", "dot"}, Words{"node_modules/.bin/mocha"},
                     Words{"_mocha"}, Words{"node", "--enable-source-maps", "./node_modules/mocha/bin/mocha.js"},
                     Words{"node", "-r", "ts-node/register", "node_modules/mocha/bin/_mocha"},
                     Words{"env", "A=1", "nyc", "--reporter", "text", "mocha"}, Words{"npm", "exec", "--", "mocha"}})
    EXPECT_EQ(adapter_for(argv).runner().name, "mocha") << argv[0];
  for (auto& argv : {Words{"make", "mocha"}, Words{"node", "a.mjs", "mocha"}, Words{"npm", "test"}})
    EXPECT_EQ(adapter_for(argv).runner().name, "command") << argv[0];
}

TEST_F(Adapters, mocha_tests_alone_are_left_to_its_hook) {
  Words argv{"npx", "mocha", "--bail", "test"};
  auto launch = adapter_for(argv).only(argv, {"test/a.js > x", "test/b.js > y > z"}, false);
  EXPECT_EQ(launch.argv, argv);
  EXPECT_EQ(launch.only, "test/a.js > x\ntest/b.js > y > z");
}

TEST_F(Adapters, jest_tests_alone_are_chosen_by_its_hook_among_their_files) {
  write("src/a.test.js");
  for (auto& argv : {Words{"npx", "jest", "-i"}, Words{"node", "node_modules/jest/bin/jest.js"},
                     Words{"env", "A=1", "node_modules/.bin/jest"}})
    EXPECT_EQ(adapter_for(argv).runner().name, "jest") << argv[0];
  Words argv{"npx", "jest", "src"};
  auto& jest = adapter_for(argv);
  auto launch = jest.only(argv, {"src/a.test.js > x", "src/a.test.js > y"}, false);
  EXPECT_EQ(launch.argv, (Words{"npx", "jest", "src", "--runTestsByPath", "src/a.test.js"}));
  EXPECT_EQ(launch.only, "src/a.test.js > x\nsrc/a.test.js > y");
  EXPECT_EQ(jest.only(argv, {"src/a.test.js > x"}, true).argv, argv);
  EXPECT_EQ(jest.only(argv, {"elsewhere/b.test.js > x"}, false).argv, argv);
}

TEST_F(Adapters, go_test_is_known_behind_assignments_and_not_other_verbs_of_go) {
  for (auto& argv : {Words{"go", "test"}, Words{"env", "A=1", "/usr/local/go/bin/go", "test", "./..."},
                     Words{"go", "-C", "sub", "test", "-race"}})
    EXPECT_EQ(adapter_for(argv).runner().name, "go test") << argv[0];
  for (auto& argv : {Words{"go", "vet"}, Words{"go", "run", "test"}, Words{"gotestsum", "--", "./..."}, Words{"go"}})
    EXPECT_EQ(adapter_for(argv).runner().name, "command") << argv[0];
}

TEST_F(Adapters, go_tests_alone_are_chosen_by_the_hook_in_their_packages_without_a_time_limit) {
  Words argv{"go",       "test", "-v",    "-p",  "4",     "-run=T", "-timeout", "5s", "-failfast",
             "-ldflags", "-s",   "./...", "./x", "-args", "-p",     "-timeout", "./y"};
  auto& go = adapter_for(argv);
  auto launch = go.only(argv, {"ex.org/a.TestX/sub_a[1]", "ex.org/a.TestY", "gopkg.in/b.v1.FuzzZ/seed#0"}, false);
  EXPECT_EQ(launch.argv, (Words{"go", "test", "-timeout=0", "ex.org/a", "gopkg.in/b.v1", "-v", "-run=T", "-ldflags",
                                "-s", "-args", "-p", "-timeout", "./y"}));
  EXPECT_EQ(launch.only, "ex.org/a.TestX/sub_a[1]\nex.org/a.TestY\ngopkg.in/b.v1.FuzzZ/seed#0");
  EXPECT_EQ(go.suite({"go", "test", "-p=4", "./..."}).argv, (Words{"go", "test", "./..."}));
}

TEST_F(Adapters, go_packages_stay_as_the_user_names_them_in_the_wide_form_and_where_files_are_named) {
  Words argv{"go", "test", "a_test.go"};
  auto& go = adapter_for(argv);
  EXPECT_EQ(go.only(argv, {"command-line-arguments.TestX"}, false).argv,
            (Words{"go", "test", "-timeout=0", "a_test.go"}));
  EXPECT_EQ(go.only({"go", "test", "./..."}, {"ex.org/a.TestX"}, true).argv,
            (Words{"go", "test", "-timeout=0", "./..."}));
}

TEST_F(Adapters, vitest_tests_alone_are_chosen_by_its_hook_among_their_files_unless_the_user_names_some) {
  write("src/a.test.ts");
  for (auto& argv : {Words{"npx", "vitest"}, Words{"node_modules/.bin/vitest", "run"},
                     Words{"node", "node_modules/vitest/vitest.mjs", "run"}})
    EXPECT_EQ(adapter_for(argv).runner().name, "vitest") << argv[0];
  Words argv{"npx", "vitest", "run", "--retry=2"};
  auto& vitest = adapter_for(argv);
  auto launch = vitest.only(argv, {"src/a.test.ts > x", "src/a.test.ts > y"}, false);
  EXPECT_EQ(launch.argv, (Words{"npx", "vitest", "run", "--retry=2", "src/a.test.ts"}));
  EXPECT_EQ(launch.only, "src/a.test.ts > x\nsrc/a.test.ts > y");
  EXPECT_EQ(vitest.only(argv, {"src/a.test.ts > x"}, true).argv, argv);
  EXPECT_EQ(vitest.only(argv, {"src/b.test.ts > x"}, false).argv, argv);
  Words named{"vitest", "run", "src"};
  EXPECT_EQ(vitest.only(named, {"src/a.test.ts > x"}, false).argv, named);
}

TEST_F(Adapters, a_test_program_is_known_by_the_framework_that_is_built_into_it) {
  write("unit",
        "\x7f"
        "ELF ... gtest_list_tests ...");
  write("spec",
        "\x7f"
        "ELF ... Catch::Session ...");
  write("notes", "how to call gtest_list_tests");
  std::filesystem::permissions("unit", std::filesystem::perms::owner_all);
  EXPECT_EQ(adapter_for({"./unit"}).runner().name, "GoogleTest");
  EXPECT_EQ(adapter_for({"env", "A=1", "./spec"}).runner().name, "Catch2");
  for (auto file : {"./notes", "./nothing"}) EXPECT_EQ(adapter_for({file}).runner().name, "command") << file;
  Words argv{"./unit", "--gtest_filter=A.*", "--gtest_color=no"};
  auto launch = adapter_for(argv).only(argv, {"unit > A.b"}, false);
  EXPECT_EQ(launch.argv, (Words{"./unit", "--gtest_color=no"}));
  EXPECT_EQ(launch.only, "unit > A.b");
}

TEST_F(Adapters, cargo_test_runs_all_programs_though_one_fails_and_a_test_alone_without_examples_of_the_documentation) {
  for (auto& argv :
       {Words{"cargo", "test"}, Words{"cargo", "+nightly", "t", "-p", "a"}, Words{"env", "A=1", "cargo", "test"}})
    EXPECT_EQ(adapter_for(argv).runner().name, "cargo test") << argv[0];
  for (auto& argv : {Words{"cargo", "run", "test"}, Words{"cargo"}})
    EXPECT_EQ(adapter_for(argv).runner().name, "command") << argv[0];
  Words argv{"cargo", "test", "-p", "a", "--", "--nocapture"};
  auto& cargo = adapter_for(argv);
  EXPECT_EQ(cargo.suite(argv).argv, (Words{"cargo", "test", "--no-fail-fast", "-p", "a", "--", "--nocapture"}));
  EXPECT_EQ(cargo.only(argv, {"a > x"}, false).argv,
            (Words{"cargo", "test", "--tests", "--no-fail-fast", "-p", "a", "--", "--nocapture"}));
  EXPECT_EQ(cargo.only({"cargo", "test", "--no-fail-fast", "--test=it"}, {"a::it > x"}, false).argv,
            (Words{"cargo", "test", "--no-fail-fast", "--test=it"}));
}

TEST_F(Adapters, runners_whose_tests_are_processes_have_one_of_ours_around_them) {
  Words argv{"ctest", "--test-dir", "build"};
  auto& ctest = adapter_for(argv);
  EXPECT_EQ(ctest.runner().name, "CTest");
  auto launch = ctest.only(argv, {"a", "b c"}, false);
  EXPECT_EQ(Words(launch.argv.begin() + 1, launch.argv.end()),
            (Words{"each", "--of", "CTest", "--", "ctest", "--test-dir", "build"}));
  EXPECT_EQ(launch.only, "a\nb c");
}

TEST(OneByOne, names_a_test_so_that_the_runner_takes_it_alone) {
  EXPECT_EQ(exactly(kCtest, "odd [na]me+1"), "^odd \\[na\\]me\\+1$");
  EXPECT_EQ(exactly(kCatch2, "one, of [two]"), "one\\, of \\[two\\]");
}

TEST_F(Adapters, maven_is_known_where_it_is_to_test) {
  for (auto& argv :
       {Words{"mvn", "test"}, Words{"./mvnw", "-q", "clean", "verify"}, Words{"/opt/bin/mvn", "surefire:test"}})
    EXPECT_EQ(adapter_for(argv).runner().name, "maven");
  EXPECT_TRUE(adapter_for({"mvn", "compile"}).runner().whole);
  EXPECT_EQ(adapter_for({"mvn", "test"}).suite({"mvn", "-B", "test"}).argv, (Words{"mvn", "-B", "test"}));
}

TEST_F(Adapters, maven_is_asked_for_chosen_methods_only_where_its_forked_runs_cannot_be_started_again) {
  auto& maven = adapter_for({"mvn", "test"});
  auto launch = maven.only({"mvn", "clean", "test", "-Pci", "-Dtest=Other"},
                           {"desk.ATest#b", "desk.ATest#many(int)[2]", "desk.BTest$In#c"}, false);
  ASSERT_GT(launch.argv.size(), 4u);
  EXPECT_EQ(launch.argv[0], "sh");
  EXPECT_TRUE(launch.argv[2].contains("\"$RETRIAL_JAVA\"/*.sh") && launch.argv[2].ends_with("exec \"$@\""))
      << launch.argv[2];
  Words maven_itself(launch.argv.begin() + 4, launch.argv.begin() + 8);
  EXPECT_EQ(maven_itself, (Words{"mvn", "test", "-Pci", "-o"}));
  EXPECT_TRUE(std::ranges::count(launch.argv, "-Dtest=desk.ATest#b+many*,desk.BTest$In#c"));
  EXPECT_TRUE(std::ranges::count(launch.argv, "-Dit.test=desk.ATest#b+many*,desk.BTest$In#c"));
  EXPECT_EQ(launch.only, "desk.ATest#b\ndesk.ATest#many(int)[2]\ndesk.BTest$In#c");
}

TEST_F(Adapters, maven_runs_all_where_an_id_is_no_method_of_a_class_and_the_hook_leaves_out_the_others) {
  auto& maven = adapter_for({"mvn", "test"});
  auto launch = maven.only({"mvn", "test"}, {"[engine:spock]/[spec:A]/[feature:b]"}, true);
  EXPECT_EQ(launch.argv[0], "mvn");
  for (auto& word : launch.argv) EXPECT_FALSE(word.starts_with("-Dtest=")) << word;
}

TEST_F(Adapters, rspec_is_known_behind_its_launchers_and_its_hook_chooses) {
  for (auto& argv : {Words{"rspec"}, Words{"bundle", "exec", "rspec", "spec/a_spec.rb"}, Words{"bin/rspec", "-fd"},
                     Words{"ruby", "-I", "lib", "-S", "rspec"}, Words{"env", "A=1", "rspec"}})
    EXPECT_EQ(adapter_for(argv).runner().name, "RSpec") << argv[0];
  for (auto& argv : {Words{"bundle", "exec", "rake", "spec"}, Words{"make", "rspec"}, Words{"ruby", "a.rb", "rspec"}})
    EXPECT_EQ(adapter_for(argv).runner().name, "command") << argv[0];
  Words argv{"bundle", "exec", "rspec"};
  auto launch = adapter_for(argv).only(argv, {"spec/a_spec.rb > a > b", "spec/b_spec.rb > c"}, false);
  EXPECT_EQ(launch.argv, argv);
  EXPECT_EQ(launch.only, "spec/a_spec.rb > a > b\nspec/b_spec.rb > c");
}

TEST_F(Adapters, phpunit_is_known_behind_its_launchers_and_its_hook_chooses) {
  for (auto& argv : {Words{"phpunit"}, Words{"vendor/bin/phpunit", "--testdox", "tests"},
                     Words{"php", "-d", "memory_limit=-1", "vendor/bin/phpunit"}, Words{"composer", "exec", "phpunit"}})
    EXPECT_EQ(adapter_for(argv).runner().name, "PHPUnit") << argv[0];
  for (auto& argv : {Words{"composer", "test"}, Words{"php", "server.php"}})
    EXPECT_EQ(adapter_for(argv).runner().name, "command") << argv[0];
}

TEST_F(Adapters, a_script_of_several_commands_is_several_tests_and_one_of_one_command_is_one) {
  write("smoke.sh", "set -e\ncurl a\ncurl b\n");
  write("run.sh", "cd here\npytest\n");
  EXPECT_EQ(adapter_for({"bash", "-x", "smoke.sh"}).runner().name, "script");
  EXPECT_EQ(adapter_for({"bash", "run.sh"}).runner().name, "command");
  Words argv{"sh", "smoke.sh"};
  auto launch = adapter_for(argv).only(argv, {"smoke.sh:2 curl", "a.test.mjs > x"}, false);
  EXPECT_EQ(launch.only, "a.test.mjs > x") << "what a runner is asked for that one of its commands starts";
  EXPECT_EQ(Words(launch.argv.end() - 2, launch.argv.end()), argv);
}

TEST_F(Adapters, nextest_runs_one_test_after_another_and_goes_on_behind_one_that_fails) {
  for (auto& argv :
       {Words{"cargo", "nextest", "run"}, Words{"env", "A=1", "cargo", "+nightly", "nextest", "r", "-p", "x"},
        Words{"cargo-nextest", "nextest", "run"}})
    EXPECT_EQ(adapter_for(argv).runner().name, "cargo nextest") << argv[0];
  EXPECT_EQ(adapter_for({"cargo", "nextest", "list"}).runner().name, "command");
  EXPECT_EQ(adapter_for({"cargo", "run", "nextest", "run"}).runner().name, "command");
  Words argv{"cargo", "nextest", "run", "-j", "4", "--retries=2", "--fail-fast", "-p", "x"};
  auto launch = adapter_for(argv).only(argv, {"x > a::b"}, false);
  EXPECT_EQ(launch.argv, (Words{"cargo", "nextest", "run", "--no-fail-fast", "-p", "x"}));
  EXPECT_EQ(launch.only, "x > a::b");
}

TEST_F(Adapters, gradle_is_known_where_it_is_to_test_and_runs_without_a_daemon) {
  for (auto& argv : {Words{"gradle", "test"}, Words{"./gradlew", "-q", ":app:check"},
                     Words{"env", "A=1", "./gradlew", "clean", "integrationTest"}})
    EXPECT_EQ(adapter_for(argv).runner().name, "Gradle") << argv[0];
  for (auto& argv : {Words{"gradle", "assemble"}, Words{"gradle", "-x", "tests"}, Words{"make", "gradle", "test"}})
    EXPECT_EQ(adapter_for(argv).runner().name, "command") << argv[0];
  auto launch =
      adapter_for({"gradle", "test"}).only({"env", "A=1", "gradle", "--daemon", "test"}, {"shop.ATest#b"}, false);
  EXPECT_EQ(Words(launch.argv.begin(), launch.argv.begin() + 4), (Words{"env", "A=1", "sh", "-c"}));
  EXPECT_EQ(Words(launch.argv.begin() + 5, launch.argv.end()), (Words{"sh", "gradle", "test"}));
  EXPECT_EQ(launch.only, "shop.ATest#b");
}

TEST(TestFiles, are_known_by_the_names_that_runners_go_by) {
  for (auto file : {"test_a.py", "pkg/a_test.py", "conftest.py", "src/a.test.mjs", "a.spec.ts", "tests/helpers/api.py",
                    "src/__tests__/x.js"})
    EXPECT_TRUE(is_test_file(file)) << file;
  for (auto file : {"src/contest.py", "src/latest.py", "src/a.mjs", "/home/me/tests/project/app.py", "attest/app.py"})
    EXPECT_FALSE(is_test_file(file)) << file;
}

TEST(EveryAdapter, has_a_name_of_its_own_that_the_pages_for_users_say) {
  std::set<std::string_view> names;
  for (auto* adapter : adapters()) {
    auto& runner = adapter->runner();
    EXPECT_TRUE(names.insert(runner.name).second) << runner.name;
    if (runner.whole) continue;
    EXPECT_TRUE(test::text_of("README.md").contains(runner.name)) << runner.name;
    EXPECT_TRUE(test::docs("agents.md").contains(std::string(runner.name))) << runner.name;
  }
}

TEST(EveryAdapter, but_the_last_knows_its_own_commands_alone) {
  for (auto* adapter : adapters()) EXPECT_EQ(adapter->knows({"make", "check"}), adapter == adapters().back());
  EXPECT_TRUE(adapters().back()->runner().whole);
  EXPECT_EQ(adapters().back()->runner().name, kWholeCommand);
}

TEST(EveryAdapter, knows_files_of_its_tests_by_the_names_it_says) {
  for (auto* adapter : adapters()) {
    auto& files = adapter->runner().test_files;
    std::vector<std::string> some(files.names.begin(), files.names.end());
    for (auto prefix : files.prefixes) some.push_back("src/" + std::string(prefix) + "x.y");
    for (auto suffix : files.suffixes) some.push_back("src/x" + std::string(suffix) + ".y");
    for (auto folder : files.folders) some.push_back("src/" + std::string(folder) + "/x.y");
    for (auto& file : some) EXPECT_TRUE(is_test_file(file)) << file;
    EXPECT_EQ(some.empty(), adapter->runner().whole) << adapter->runner().name;
  }
}

}  // namespace
}  // namespace retrial::campaign

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "campaign/workload/adapters/registry.h"
#include "trace/executions.h"

namespace retrial::campaign {
namespace {

constexpr std::string_view kTesting[] = {"test",   "prepare-package", "package", "integration-test",
                                         "verify", "install",         "deploy",  "surefire:test"};
// What one case must not bring down, or rename: a failed test ends no other, and is not tried again.
constexpr const char* kAlways[] = {"-Dmaven.test.failure.ignore=true", "-Dsurefire.skipAfterFailureCount=0",
                                   "-Dsurefire.rerunFailingTestsCount=0", "-Dsurefire.timeout=0"};
// Without Maven, by what the agent has put down in each JVM that ran tests of the suite (Relaunch.java); where it has
// not, Maven's own command.
constexpr const char* kDirectly = R"(status=3
for run in "$RETRIAL_JAVA"/*.sh; do
  [ -x "$run" ] && grep -qFf "${run%.sh}.classes" "$RETRIAL_ONLY" || continue
  if "$run"; then [ $status != 3 ] || status=0; else status=1; fi
done
[ $status = 3 ] || exit $status
exec "$@")";
constexpr std::size_t kLongest = 100'000;  // of one argument; the kernel takes 128 KiB

bool is_any_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

// For Surefire's -Dtest: "demo.FooTest#ok+more,demo.BarTest#all*"; empty where an id is not of that form. What has
// parameters is asked for by the beginning of its name.
std::string pattern(const std::vector<std::string>& tests) {
  std::map<std::string, std::set<std::string>> methods;
  for (auto& execution : tests) {
    std::string test(trace::test_of(execution));
    auto hash = test.find('#');
    if (hash == test.npos || test.starts_with('[')) return {};
    auto method = test.substr(hash + 1);
    if (auto end = method.find_first_of("(["); end != method.npos) method = method.substr(0, end) + "*";
    if (method.find_first_of(" ,+#!%?") != method.npos) return {};  // a name that a language other than Java allows
    methods[test.substr(0, hash)].insert(method);
  }
  std::vector<std::string> all;
  for (auto& [type, names] : methods) all.push_back(fmt::format("{}#{}", type, fmt::join(names, "+")));
  auto text = fmt::format("{}", fmt::join(all, ","));
  return text.size() < kLongest ? text : "";
}

// Maven, whose Surefire and Failsafe run JUnit or TestNG in a JVM of their own. The hook there knows the tests, and of
// JUnit's platform and TestNG leaves out what is not wanted; Maven is told which classes to load.
class Maven final : public Adapter {
 public:
  const Runner& runner() const override {
    static const Runner runner{
        .name = "maven",
        .hook = {"java/retrial-agent.jar"},
        .test_files = {.suffixes = {"Test", "Tests", "TestCase"}, .folders = {"test"}},
        .executes_again = true,  // without Maven
    };
    return runner;
  }
  bool knows(const std::vector<std::string>& argv) const override {
    if (argv.empty() || !is_any_of(program_name(argv[0]), {"mvn", "mvnw"})) return false;
    return std::ranges::any_of(argv, [](auto& word) { return std::ranges::count(kTesting, word) > 0; });
  }
  Launch suite(const std::vector<std::string>& argv) const override {
    return {.argv = argv, .environment = {"RETRIAL_SERIAL=1"}};
  }
  // What was compiled and fetched for the suite is there.
  Launch only(const std::vector<std::string>& argv, const std::vector<std::string>& tests, bool wide) const override {
    Launch launch{.environment = {"RETRIAL_SERIAL=1", "RETRIAL_NO_TIME_LIMIT=1"},
                  .only = fmt::format("{}", fmt::join(tests, "\n"))};
    if (!wide) launch.argv = {"sh", "-c", kDirectly, "retrial"};
    for (auto& word : argv)
      if (word != "clean" && !word.starts_with("-Dtest=") && !word.starts_with("-Dit.test=") &&
          !is_any_of(word, {"-ff", "--fail-fast"}))
        launch.argv.push_back(word);
    if (!std::ranges::any_of(argv, [](auto& word) { return is_any_of(word, {"-o", "--offline"}); }))
      launch.argv.push_back("-o");
    launch.argv.insert(launch.argv.end(), std::begin(kAlways), std::end(kAlways));
    if (auto chosen = wide ? std::string() : pattern(tests); !chosen.empty())
      for (auto [option, plugin] : {std::pair{"-Dtest=", "surefire"}, {"-Dit.test=", "failsafe"}}) {
        launch.argv.push_back(option + chosen);
        launch.argv.push_back(fmt::format("-D{}.failIfNoSpecifiedTests=false", plugin));
      }
    return launch;
  }
};

}  // namespace

const Adapter& maven_adapter() {
  static const Maven adapter;
  return adapter;
}

}  // namespace retrial::campaign

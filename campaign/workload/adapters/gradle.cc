#include <algorithm>
#include <optional>

#include "campaign/workload/adapters/hooked.h"
#include "campaign/workload/adapters/registry.h"

namespace retrial::campaign {
namespace {

// What Gradle is told in a script of ours that it reads before the build's own: tests run each time, in one JVM, and of
// them the chosen alone, as far as a name says which that is; the hook in that JVM knows it better. A project in which
// none is chosen is none that failed.
constexpr const char* kAround = R"([ "$RETRIAL_JAVA" ] || exec "$@"
mkdir -p "$RETRIAL_JAVA" && cat >"$RETRIAL_JAVA/retrial.gradle" <<'END'
def only = System.getenv('RETRIAL_ONLY')
def ids = only ? new File(only).readLines('UTF-8').findAll { it } : []
allprojects {
  tasks.withType(Test) { test ->
    test.outputs.upToDateWhen { false }
    test.outputs.cacheIf { false }
    test.maxParallelForks = 1
    test.ignoreFailures = true
    if (ids && ids.every { it ==~ /[\w.$]+#\w+([(\[].*)?/ }) {
      test.filter.failOnNoMatchingTests = false
      ids.each { id ->
        def name = id.replaceFirst(/[(\[].*/, '')
        test.filter.includeTestsMatching(name.replace('#', '.') + (name == id ? '' : '*'))
      }
    }
  }
}
END
program=$1 && shift && exec "$program" -I "$RETRIAL_JAVA/retrial.gradle" --no-daemon --no-parallel --continue "$@")";

// Gradle, as the command itself or the project's own. What it runs tests in, is told of by the hook of JUnit and TestNG
// that every JVM gets. A daemon would outlive the run that it was started in.
class Gradle final : public Hooked {
 public:
  const Runner& runner() const override {
    static const Runner runner{
        .name = "Gradle",
        .hook = {"java/retrial-agent.jar"},
        .test_files = {.suffixes = {"Test", "Tests", "TestCase"}, .folders = {"test"}},
    };
    return runner;
  }
  bool knows(const std::vector<std::string>& argv) const override {
    auto at = program_behind(argv, {"env"}, {"gradle", "gradlew"});
    return at && std::any_of(argv.begin() + static_cast<std::ptrdiff_t>(*at) + 1, argv.end(), is_testing);
  }
  Launch suite(const std::vector<std::string>& argv) const override { return around(Hooked::suite(argv)); }
  Launch only(const std::vector<std::string>& argv, const std::vector<std::string>& tests, bool wide) const override {
    return around(Hooked::only(argv, tests, wide));
  }

 private:
  // "test", ":app:check", "integrationTest".
  static bool is_testing(const std::string& word) {
    if (word.starts_with('-')) return false;
    auto task = std::string_view(word).substr(word.rfind(':') + 1);
    return task == "test" || task == "check" || task == "build" || task.ends_with("Test");
  }
  static Launch around(Launch launch) {
    auto at = static_cast<std::ptrdiff_t>(*program_behind(launch.argv, {"env"}, {"gradle", "gradlew"}));
    std::erase_if(launch.argv, [](auto& word) { return word == "--daemon" || word == "--parallel"; });
    launch.argv.insert(launch.argv.begin() + at, {"sh", "-c", kAround, "sh"});
    return launch;
  }
};

}  // namespace

const Adapter& gradle_adapter() {
  static const Gradle adapter;
  return adapter;
}

}  // namespace retrial::campaign

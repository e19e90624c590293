#include "campaign/workload/adapters/registry.h"

#include <algorithm>
#include <ranges>

#include "trace/executions.h"

namespace retrial::campaign {
namespace {

constexpr std::string_view kSeparator = " > ";

std::size_t node_at(const std::vector<std::string>& argv) {
  for (std::size_t i = 0; i < argv.size(); i++)
    if (auto name = program_name(argv[i]); name == "node" || name == "nodejs") return i;
  return argv.size();
}

// Node's options that take the next word as their value.
constexpr std::string_view kNodeTakesValue[] = {"-r",
                                                "--require",
                                                "--import",
                                                "--loader",
                                                "--experimental-loader",
                                                "-C",
                                                "--conditions",
                                                "--env-file",
                                                "--test-reporter",
                                                "--test-reporter-destination",
                                                "--test-name-pattern",
                                                "--test-skip-pattern",
                                                "--test-concurrency",
                                                "--test-timeout",
                                                "--test-shard"};
bool takes_value(std::string_view word) {
  return std::find(std::begin(kNodeTakesValue), std::end(kNodeTakesValue), word) != std::end(kNodeTakesValue);
}

// A file that is run by itself runs its tests: so one process does what `--test` does with two. These options mean the
// same there.
bool fits_a_plain_file(std::string_view option) {
  constexpr std::string_view kFit[] = {"--test-reporter",     "--test-reporter-destination",
                                       "--test-name-pattern", "--test-skip-pattern",
                                       "--test-only",         "--test-force-exit"};
  if (!option.starts_with("--test") && !option.starts_with("--experimental-test") && !option.starts_with("--watch"))
    return true;
  return std::ranges::find(kFit, option.substr(0, option.find('='))) != std::end(kFit);
}

// A pattern that Node reads as a regular expression ending in exactly this name (Node 20 matches a test's own name,
// later ones its whole path).
std::string pattern(std::string_view name) {
  std::string out = "--test-name-pattern=/";
  for (char c : name) {
    if (std::string_view("\\^$.*+?()[]{}|/").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out + "$/";
}

// Drops the option and its value, in both spellings.
bool drops(const std::vector<std::string>& argv, std::size_t& i, std::string_view option) {
  if (argv[i] == option) return i++, true;
  return argv[i].starts_with(std::string(option) + "=");
}

class NodeTest final : public Adapter {
 public:
  const Runner& runner() const override {
    static const Runner runner{
        .name = "node:test",
        .hook = {"node/lib/runners/node_runner.cjs"},
        .test_files = {.suffixes = {".test", ".spec", "_test"}, .folders = {"test", "tests", "__tests__", "spec"}},
        .files_at_once = true,
        .executes_again = true,
    };
    return runner;
  }
  bool knows(const std::vector<std::string>& argv) const override {
    auto at = node_at(argv);
    return std::find(argv.begin() + static_cast<std::ptrdiff_t>(std::min(at, argv.size())), argv.end(), "--test") !=
           argv.end();
  }

  Launch suite(const std::vector<std::string>& argv) const override {
    Launch launch{.argv = argv, .environment = {"RETRIAL_SERIAL=1"}};
    auto test = std::find(launch.argv.begin(), launch.argv.end(), "--test");
    launch.argv.insert(std::next(test), "--test-concurrency=1");
    return launch;
  }

  Launch only(const std::vector<std::string>& argv, const std::vector<std::string>& tests, bool wide) const override {
    Launch launch{.environment = {"RETRIAL_SERIAL=1", "RETRIAL_NO_TIME_LIMIT=1"}, .only = only_where_again(tests)};
    auto node = node_at(argv);
    for (std::size_t i = 0; i < argv.size(); i++) {
      if (i > node) {
        if (drops(argv, i, "--test-timeout") || drops(argv, i, "--test-name-pattern") ||
            drops(argv, i, "--test-concurrency"))
          continue;
        bool value = takes_value(argv[i - 1]);
        if (!argv[i].starts_with('-') && !value) continue;  // a test file
      }
      launch.argv.push_back(argv[i]);
    }
    std::vector<std::string> options, files;
    bool named = true;
    for (std::string_view test : tests | std::views::transform(trace::test_of)) {
      auto first = test.find(kSeparator);
      add(files, std::string(test.substr(0, first)));
      named = named && first != test.npos;
      if (first != test.npos) add_patterns(options, test, wide);
    }
    auto at = launch.argv.erase(std::find(launch.argv.begin(), launch.argv.end(), "--test"));
    if (!named || files.size() != 1 || !std::ranges::all_of(launch.argv, fits_a_plain_file))
      options.insert(options.begin(), {"--test", "--test-concurrency=1"});
    launch.argv.insert(at, options.begin(), options.end());
    launch.argv.insert(launch.argv.end(), files.begin(), files.end());
    return launch;
  }

 private:
  static void add(std::vector<std::string>& to, std::string word) {
    if (std::ranges::find(to, word) == to.end()) to.push_back(std::move(word));
  }
  static void add_patterns(std::vector<std::string>& to, std::string_view test, bool wide) {
    auto first = test.find(kSeparator), last = test.rfind(kSeparator);
    add(to, pattern(test.substr(last + kSeparator.size())));
    // A subtest is reached only if the tests around it run: name each of them.
    for (auto from = first + kSeparator.size(); wide && from <= last;) {
      auto end = test.find(kSeparator, from);
      add(to, pattern(test.substr(from, end - from)));
      from = end + kSeparator.size();
    }
  }
};

}  // namespace

const Adapter& node_test_adapter() {
  static const NodeTest adapter;
  return adapter;
}

}  // namespace retrial::campaign

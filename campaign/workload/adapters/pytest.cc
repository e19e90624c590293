#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "campaign/workload/adapters/registry.h"

namespace retrial::campaign {
namespace {

// Options that take the next word as their value, so that a path there is not taken for a test path.
constexpr std::string_view kPytestTakesValue[] = {"-k",
                                                  "-m",
                                                  "-c",
                                                  "-p",
                                                  "-o",
                                                  "-n",
                                                  "-W",
                                                  "-r",
                                                  "--ignore",
                                                  "--ignore-glob",
                                                  "--deselect",
                                                  "--rootdir",
                                                  "--confcutdir",
                                                  "--basetemp",
                                                  "--junitxml",
                                                  "--junit-xml",
                                                  "--cov",
                                                  "--cov-report",
                                                  "--cov-config",
                                                  "--durations",
                                                  "--maxfail",
                                                  "--tb",
                                                  "--log-file",
                                                  "--log-level",
                                                  "--log-cli-level",
                                                  "--import-mode",
                                                  "--config-file",
                                                  "--html",
                                                  "--timeout",
                                                  "--timeout-method",
                                                  "--reruns",
                                                  "--dist",
                                                  "--numprocesses",
                                                  "--capture",
                                                  "--color",
                                                  "--override-ini",
                                                  "--asyncio-mode",
                                                  "--ds",
                                                  "--env"};

// Index of the word that is pytest itself (`pytest`, `/venv/bin/py.test`, the `pytest` of `python -m pytest`).
std::optional<std::size_t> pytest_at(const std::vector<std::string>& argv) {
  for (std::size_t i = 0; i < argv.size(); i++) {
    auto name = program_name(argv[i]);
    if (name == "pytest" || name == "py.test") return i;
  }
  return {};
}

bool is_path(const std::string& word) {
  auto file = word.substr(0, word.find("::"));
  return !word.starts_with('-') && std::filesystem::exists(file);
}

class Pytest final : public Adapter {
 public:
  const Runner& runner() const override {
    static const Runner runner{
        .name = "pytest",
        .hook = {"python/retrial_pytest.py", "PYTEST_PLUGINS", "retrial_pytest", ","},
        .test_files = {.names = {"conftest.py"},
                       .prefixes = {"test_"},
                       .suffixes = {"_test"},
                       .folders = {"test", "tests"}},
        .executes_again = true,
    };
    return runner;
  }
  bool knows(const std::vector<std::string>& argv) const override { return pytest_at(argv).has_value(); }

  Launch suite(const std::vector<std::string>& argv) const override {
    return {.argv = argv, .environment = {"RETRIAL_SERIAL=1"}};
  }

  // The user's own options stay; the paths are narrowed to the tests' files, and the hook leaves out every other test
  // in them. An id is relative to pytest's root, which need not be the working directory: then all is collected, and
  // the hook decides.
  Launch only(const std::vector<std::string>& argv, const std::vector<std::string>& tests, bool wide) const override {
    Launch launch{.environment = {"RETRIAL_SERIAL=1", "RETRIAL_NO_TIME_LIMIT=1"},
                  .only = fmt::format("{}", fmt::join(tests, "\n"))};
    std::vector<std::string> files;
    for (auto& test : tests)
      if (auto file = test.substr(0, test.find("::")); std::ranges::find(files, file) == files.end())
        files.push_back(std::move(file));
    if (wide || !std::ranges::all_of(files, [](auto& file) { return std::filesystem::exists(file); })) {
      launch.argv = argv;
      return launch;
    }
    auto at = *pytest_at(argv);
    for (std::size_t i = 0; i < argv.size(); i++) {
      bool value = i > 0 && std::find(std::begin(kPytestTakesValue), std::end(kPytestTakesValue), argv[i - 1]) !=
                                std::end(kPytestTakesValue);
      if (i <= at || value || !is_path(argv[i])) launch.argv.push_back(argv[i]);
    }
    launch.argv.insert(launch.argv.end(), files.begin(), files.end());
    return launch;
  }
};

}  // namespace

const Adapter& pytest_adapter() {
  static const Pytest adapter;
  return adapter;
}

}  // namespace retrial::campaign

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "campaign/workload/adapters/node_program.h"
#include "campaign/workload/adapters/registry.h"

namespace retrial::campaign {
namespace {

// Its hook runs one file after another, chooses the tests, and lifts time limits; the files are named to vitest, which
// starts a process for each.
class Vitest final : public Adapter {
 public:
  const Runner& runner() const override {
    static const Runner runner{
        .name = "vitest",
        .hook = {"node/lib/runners/vitest.cjs"},
        .test_files = {.suffixes = {".test", ".spec"}},
    };
    return runner;
  }
  bool knows(const std::vector<std::string>& argv) const override {
    return node_program_at(argv, {"vitest"}).has_value();
  }
  Launch suite(const std::vector<std::string>& argv) const override {
    return {.argv = argv, .environment = {"RETRIAL_SERIAL=1"}};
  }
  // A word that vitest takes for a part of a file's name adds files: where there is one, all of them stay.
  Launch only(const std::vector<std::string>& argv, const std::vector<std::string>& tests, bool wide) const override {
    Launch launch{.argv = argv,
                  .environment = {"RETRIAL_SERIAL=1", "RETRIAL_NO_TIME_LIMIT=1"},
                  .only = fmt::format("{}", fmt::join(tests, "\n"))};
    std::vector<std::string> files;
    for (auto& test : tests)
      if (auto file = test.substr(0, test.find(" > ")); std::ranges::find(files, file) == files.end())
        files.push_back(std::move(file));
    auto options = argv.begin() + static_cast<std::ptrdiff_t>(*node_program_at(argv, {"vitest"})) + 1;
    bool plain = std::all_of(options, argv.end(), [](auto& word) { return word == "run" || word.starts_with('-'); });
    if (!wide && plain && std::ranges::all_of(files, [](auto& file) { return std::filesystem::exists(file); }))
      launch.argv.insert(launch.argv.end(), files.begin(), files.end());
    return launch;
  }
};

}  // namespace

const Adapter& vitest_adapter() {
  static const Vitest adapter;
  return adapter;
}

}  // namespace retrial::campaign

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "campaign/workload/adapters/registry.h"

namespace retrial::campaign {
namespace {

// What says which targets are tested; without any of it examples of the documentation are, too.
constexpr std::string_view kTargets[] = {"--lib",     "--bin",         "--bins",    "--test",     "--tests", "--bench",
                                         "--benches", "--all-targets", "--example", "--examples", "--doc"};

// Where the word `test` of `cargo test` stands, behind assignments and the name of a toolchain.
std::optional<std::size_t> word_test(const std::vector<std::string>& argv) {
  std::size_t i = 0;
  while (i < argv.size() && (program_name(argv[i]) == "env" || argv[i].contains('='))) i++;
  if (i >= argv.size() || program_name(argv[i]) != "cargo") return {};
  for (i++; i < argv.size() && (argv[i].starts_with('+') || argv[i].starts_with('-')); i++) {
  }
  if (i < argv.size() && (argv[i] == "test" || argv[i] == "t")) return i;
  return {};
}

// Its hook is a script by which cargo starts the test programs, and what is preloaded into them. A test that fails must
// not keep those of other programs from being run.
class CargoTest final : public Adapter {
 public:
  const Runner& runner() const override {
    static const Runner runner{
        .name = "cargo test",
        .hook = {"rust/runners/cargo.sh"},
        .test_files = {.folders = {"tests"}},
    };
    return runner;
  }
  bool knows(const std::vector<std::string>& argv) const override { return word_test(argv).has_value(); }
  Launch suite(const std::vector<std::string>& argv) const override {
    return {.argv = with(argv, {"--no-fail-fast"}), .environment = {"RETRIAL_SERIAL=1"}};
  }
  Launch only(const std::vector<std::string>& argv, const std::vector<std::string>& tests, bool) const override {
    Launch launch{.argv = with(argv, {"--no-fail-fast"}),
                  .environment = {"RETRIAL_SERIAL=1", "RETRIAL_NO_TIME_LIMIT=1"},
                  .only = fmt::format("{}", fmt::join(tests, "\n"))};
    auto own = std::find(argv.begin(), argv.end(), "--");
    bool chosen = std::any_of(argv.begin(), own, [](auto& word) {
      return std::ranges::count(kTargets, std::string_view(word).substr(0, word.find('='))) > 0;
    });
    if (!chosen) launch.argv = with(launch.argv, {"--tests"});
    return launch;
  }

 private:
  static std::vector<std::string> with(std::vector<std::string> argv, std::initializer_list<std::string_view> options) {
    for (auto option : options)
      if (std::find(argv.begin(), std::find(argv.begin(), argv.end(), "--"), option) ==
          std::find(argv.begin(), argv.end(), "--"))
        argv.emplace(argv.begin() + static_cast<std::ptrdiff_t>(*word_test(argv)) + 1, option);
    return argv;
  }
};

}  // namespace

const Adapter& cargo_test_adapter() {
  static const CargoTest adapter;
  return adapter;
}

}  // namespace retrial::campaign

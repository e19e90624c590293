#include <algorithm>
#include <optional>

#include "campaign/workload/adapters/hooked.h"
#include "campaign/workload/adapters/registry.h"

namespace retrial::campaign {
namespace {

// Where the word `run` of `cargo nextest run` stands, behind assignments, the name of a toolchain and options.
std::optional<std::size_t> word_run(const std::vector<std::string>& argv) {
  auto at = program_behind(argv, {"env"}, {"cargo", "cargo-nextest"});
  if (!at) return {};
  bool nextest = false;
  for (std::size_t i = *at + 1; i < argv.size(); i++) {
    if (argv[i] == "nextest")
      nextest = true;
    else if (nextest && (argv[i] == "run" || argv[i] == "r"))
      return i;
    else if (!argv[i].starts_with('+') && !argv[i].starts_with('-') && !argv[i - 1].starts_with('-'))
      return {};
  }
  return {};
}

// Its hook is that of `cargo test`: it starts the same programs by the same script, once for each test. How many run
// beside each other, and how often, variables say (agents/rust.cc), where the command does not.
class CargoNextest final : public Hooked {
 public:
  const Runner& runner() const override {
    static const Runner runner{
        .name = "cargo nextest",
        .hook = {"rust/runners/cargo.sh"},
        .test_files = {.folders = {"tests"}},
    };
    return runner;
  }
  bool knows(const std::vector<std::string>& argv) const override { return word_run(argv).has_value(); }
  Launch suite(const std::vector<std::string>& argv) const override { return plain(Hooked::suite(argv)); }
  Launch only(const std::vector<std::string>& argv, const std::vector<std::string>& tests, bool wide) const override {
    return plain(Hooked::only(argv, tests, wide));
  }

 private:
  // A test that fails keeps no other from being run.
  static Launch plain(Launch launch) {
    constexpr std::string_view kOurs[] = {"-j", "--jobs", "--test-threads", "--retries", "--max-fail"};
    std::vector<std::string> argv;
    bool value = false;
    for (auto& word : launch.argv) {
      auto name = std::string_view(word).substr(0, word.find('='));
      bool ours = std::ranges::count(kOurs, name) > 0;
      if (!value && !ours && word != "--fail-fast" && word != "--no-fail-fast") argv.push_back(word);
      value = ours && name.size() == word.size();
    }
    argv.emplace(argv.begin() + static_cast<std::ptrdiff_t>(*word_run(argv)) + 1, "--no-fail-fast");
    launch.argv = std::move(argv);
    return launch;
  }
};

}  // namespace

const Adapter& cargo_nextest_adapter() {
  static const CargoNextest adapter;
  return adapter;
}

}  // namespace retrial::campaign

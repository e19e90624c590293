#include <fmt/format.h>
#include <fmt/ranges.h>

#include "campaign/workload/adapters/executable.h"
#include "campaign/workload/adapters/registry.h"

namespace retrial::campaign {
namespace {

// Its hook is preloaded, chooses the tests and tells of them; it keeps no time itself.
class GoogleTest final : public Adapter {
 public:
  const Runner& runner() const override {
    static const Runner runner{
        .name = "GoogleTest",
        .hook = {"native/runners/built_in.so"},
        .test_files = {.suffixes = {"_test", "_unittest"}, .folders = {"test", "tests"}},
    };
    return runner;
  }
  // What is linked against a shared GoogleTest names its functions.
  bool knows(const std::vector<std::string>& argv) const override {
    return is_program_with(argv, {"gtest_list_tests", "_ZN7testing14InitGoogleTest"});
  }
  Launch suite(const std::vector<std::string>& argv) const override {
    return {.argv = argv, .environment = {"RETRIAL_SERIAL=1"}};
  }
  // A filter on the command line would be taken before that of the hook.
  Launch only(const std::vector<std::string>& argv, const std::vector<std::string>& tests, bool) const override {
    Launch launch{.environment = {"RETRIAL_SERIAL=1", "RETRIAL_NO_TIME_LIMIT=1"},
                  .only = fmt::format("{}", fmt::join(tests, "\n"))};
    for (auto& word : argv)
      if (!word.starts_with("--gtest_filter=") && word != "--gtest_fail_fast") launch.argv.push_back(word);
    return launch;
  }
};

}  // namespace

const Adapter& googletest_adapter() {
  static const GoogleTest adapter;
  return adapter;
}

}  // namespace retrial::campaign

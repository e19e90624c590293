#include <fmt/format.h>
#include <fmt/ranges.h>

#include "campaign/workload/adapters/executable.h"
#include "campaign/workload/adapters/registry.h"
#include "campaign/workload/one_by_one.h"

namespace retrial::campaign {
namespace {

// A test is what CTest starts, with the fixtures that it needs; of a program of GoogleTest its tests are known.
class Ctest final : public Adapter {
 public:
  const Runner& runner() const override {
    static const Runner runner{
        .name = kCtest,
        .test_files = {.prefixes = {"test_"}, .suffixes = {"_test"}, .folders = {"test", "tests"}},
    };
    return runner;
  }
  bool knows(const std::vector<std::string>& argv) const override {
    auto at = program_at(argv);
    return at < argv.size() && program_name(argv[at]) == "ctest";
  }
  Launch suite(const std::vector<std::string>& argv) const override {
    return {.argv = one_by_one(kCtest, argv), .environment = {"RETRIAL_SERIAL=1"}};
  }
  Launch only(const std::vector<std::string>& argv, const std::vector<std::string>& tests, bool) const override {
    return {.argv = one_by_one(kCtest, argv),
            .environment = {"RETRIAL_SERIAL=1", "RETRIAL_NO_TIME_LIMIT=1"},
            .only = fmt::format("{}", fmt::join(tests, "\n"))};
  }
};

}  // namespace

const Adapter& ctest_adapter() {
  static const Ctest adapter;
  return adapter;
}

}  // namespace retrial::campaign

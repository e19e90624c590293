#include <fmt/format.h>
#include <fmt/ranges.h>

#include "campaign/workload/adapters/executable.h"
#include "campaign/workload/adapters/registry.h"
#include "campaign/workload/one_by_one.h"

namespace retrial::campaign {
namespace {

// A test program by itself, of version 2 or 3. A test is a process.
class Catch2 final : public Adapter {
 public:
  const Runner& runner() const override {
    static const Runner runner{
        .name = kCatch2,
        .test_files = {.prefixes = {"test_"}, .suffixes = {"_test"}, .folders = {"test", "tests"}},
    };
    return runner;
  }
  bool knows(const std::vector<std::string>& argv) const override {
    return is_program_with(argv, {"Catch::Session", "N5Catch7Session"});
  }
  Launch suite(const std::vector<std::string>& argv) const override {
    return {.argv = one_by_one(kCatch2, argv), .environment = {"RETRIAL_SERIAL=1"}};
  }
  Launch only(const std::vector<std::string>& argv, const std::vector<std::string>& tests, bool) const override {
    return {.argv = one_by_one(kCatch2, argv),
            .environment = {"RETRIAL_SERIAL=1", "RETRIAL_NO_TIME_LIMIT=1"},
            .only = fmt::format("{}", fmt::join(tests, "\n"))};
  }
};

}  // namespace

const Adapter& catch2_adapter() {
  static const Catch2 adapter;
  return adapter;
}

}  // namespace retrial::campaign

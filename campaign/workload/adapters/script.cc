#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "campaign/workload/adapters/executable.h"
#include "campaign/workload/adapters/registry.h"
#include "campaign/workload/one_by_one.h"
#include "campaign/workload/shell_script.h"

namespace retrial::campaign {
namespace {

// Each command of a shell script is a test, in a script of several. All of them run each time: what one does, the next
// may need. A runner that one of them starts is asked for its own tests alone.
class Script final : public Adapter {
 public:
  const Runner& runner() const override {
    static const Runner runner{.name = kScript, .test_files = {.suffixes = {".test"}, .folders = {"tests"}}};
    return runner;
  }
  bool knows(const std::vector<std::string>& argv) const override {
    auto script = shell_script(argv);
    return script && script->tests() > 1;
  }
  Launch suite(const std::vector<std::string>& argv) const override {
    return {.argv = one_by_one(kScript, argv), .environment = {"RETRIAL_SERIAL=1"}};
  }
  Launch whole(const std::vector<std::string>& argv) const override { return {.argv = argv}; }
  Launch only(const std::vector<std::string>& argv, const std::vector<std::string>& tests, bool) const override {
    Launch launch{.argv = one_by_one(kScript, argv), .environment = {"RETRIAL_SERIAL=1", "RETRIAL_NO_TIME_LIMIT=1"}};
    auto script = shell_script(argv);
    std::vector<std::string> of_runners;
    std::ranges::copy_if(tests, std::back_inserter(of_runners),
                         [&](auto& id) { return script && !is_id_of(*script, id); });
    launch.only = fmt::format("{}", fmt::join(of_runners, "\n"));
    return launch;
  }
};

}  // namespace

const Adapter& script_adapter() {
  static const Script adapter;
  return adapter;
}

}  // namespace retrial::campaign

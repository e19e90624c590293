#include "campaign/workload/adapters/hooked.h"
#include "campaign/workload/adapters/registry.h"

namespace retrial::campaign {
namespace {

class PhpUnit final : public Hooked {
 public:
  const Runner& runner() const override {
    static const Runner runner{
        .name = "PHPUnit",
        .hook = {"php/runners/phpunit.php"},
        .test_files = {.suffixes = {"Test", "TestCase"}, .folders = {"test", "tests"}},
    };
    return runner;
  }
  bool knows(const std::vector<std::string>& argv) const override {
    return program_behind(argv, {"env", "php", "composer", "exec"}, {"phpunit", "phpunit.php", "simple-phpunit"})
        .has_value();
  }
};

}  // namespace

const Adapter& phpunit_adapter() {
  static const PhpUnit adapter;
  return adapter;
}

}  // namespace retrial::campaign

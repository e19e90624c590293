#include "campaign/workload/adapters/hooked.h"
#include "campaign/workload/adapters/registry.h"

namespace retrial::campaign {
namespace {

// Every file is loaded each time: any of them may say what is set up for the others.
class RSpec final : public Hooked {
 public:
  const Runner& runner() const override {
    static const Runner runner{
        .name = "RSpec",
        .hook = {"ruby/lib/runners/rspec.rb"},
        .test_files = {.suffixes = {"_spec"}, .folders = {"spec"}},
    };
    return runner;
  }
  bool knows(const std::vector<std::string>& argv) const override {
    return program_behind(argv, {"env", "bundle", "exec", "ruby", "spring"}, {"rspec"}).has_value();
  }
};

}  // namespace

const Adapter& rspec_adapter() {
  static const RSpec adapter;
  return adapter;
}

}  // namespace retrial::campaign

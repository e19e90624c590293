#include "campaign/workload/agents/registry.h"

namespace retrial::campaign {
namespace {

// RUBYOPT is split at blanks, and knows no quotes: a path that has one leaves the agent out.
class Ruby final : public Agent {
 public:
  std::string_view name() const override { return "ruby"; }
  void load(const std::filesystem::path& folder, bool, Variables& environment) const override {
    auto file = (folder / "retrial.rb").string();
    if (file.find_first_of(" \t\n") == file.npos) put_first(environment, {"RUBYOPT", "-r" + file, " "});
  }
};

}  // namespace

const Agent& ruby_agent() {
  static const Ruby agent;
  return agent;
}

}  // namespace retrial::campaign

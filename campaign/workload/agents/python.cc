#include "campaign/workload/agents/registry.h"

namespace retrial::campaign {
namespace {

// Started by its sitecustomize.
class Python final : public Agent {
 public:
  std::string_view name() const override { return "python"; }
  void load(const std::filesystem::path& folder, bool, Variables& environment) const override {
    put_first(environment, {"PYTHONPATH", folder.string(), ":"});
  }
};

}  // namespace

const Agent& python_agent() {
  static const Python agent;
  return agent;
}

}  // namespace retrial::campaign

#include <filesystem>

#include "campaign/workload/agents/registry.h"

namespace retrial::campaign {
namespace {
namespace fs = std::filesystem;

// JAVA_TOOL_OPTIONS is split at white space but for what stands in quotes; a path with a quote in it leaves the agent
// out.
class Java final : public Agent {
 public:
  std::string_view name() const override { return "java"; }
  void load(const fs::path& folder, bool, Variables& environment) const override {
    auto jar = folder / "retrial-agent.jar";
    std::error_code error;
    if (fs::file_size(jar, error) == 0 || error || jar.string().contains('"')) return;  // built where no JDK was
    put_last(environment, {"JAVA_TOOL_OPTIONS", "-javaagent:\"" + jar.string() + "\"", " "});
    environment["RETRIAL_JAVA"] = (folder / kCache).string();
  }
};

}  // namespace

const Agent& java_agent() {
  static const Java agent;
  return agent;
}

}  // namespace retrial::campaign

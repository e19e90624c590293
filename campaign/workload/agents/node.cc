#include "campaign/workload/agents/registry.h"

namespace retrial::campaign {
namespace {

// NODE_OPTIONS is split at spaces but for those in double quotes, where a backslash escapes.
std::string quoted(const std::string& path) {
  std::string out = "\"";
  for (char c : path) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

class Node final : public Agent {
 public:
  std::string_view name() const override { return "node"; }
  void load(const std::filesystem::path& folder, bool, Variables& environment) const override {
    put_last(environment, {"NODE_OPTIONS", "--require=" + quoted((folder / "retrial.cjs").string()), " "});
  }
};

}  // namespace

const Agent& node_agent() {
  static const Node agent;
  return agent;
}

}  // namespace retrial::campaign

// A note: no agent was loaded, so that calls are known by operation and process alone.
#include <algorithm>

#include "oracles/registry.h"

namespace retrial::oracles {
namespace {

constexpr Verdict kNoAgent{
    .name = "no-agent",
    .severity = Severity::information,
    .title = "No call sites could be read",
    .why = "A process without an agent sent requests: its calls are known by operation alone.",
};

class NoAgent final : public Oracle {
 public:
  std::span<const Verdict> verdicts() const override { return {&kNoAgent, 1}; }

  void judge(Cases cases, Judgement& judgement) const override {
    for (auto& compared : cases) judge_case(compared, judgement);
  }

 private:
  static void judge_case(const ComparedCase& compared, Judgement& judgement) {
    for (auto* c : compared.comparisons) {
      auto& call = *c->faulted.front();
      // What stands below a runtime sees no call sites.
      bool reads_sites = std::ranges::any_of(c->in_case->agents, [](auto& agent) { return agent != "native"; });
      if (reads_sites || !call.site.empty()) continue;
      auto note = make_finding(
          compared, *c, call, kNoAgent, trace::Confidence::certain,
          "No agent was loaded in the processes that sent these requests: call sites are missing, and "
          "calls are told apart by "
          "operation and process. `retrial doctor` with the same command says why, and what would mend it.");
      note.operation.clear();
      note.fault.clear();
      note.id = trace::finding_id(note.verdict, {}, "", "");  // one a campaign
      judgement.notes.push_back(std::move(note));
    }
  }
};

}  // namespace

const Oracle& no_agent() {
  static const NoAgent oracle;
  return oracle;
}

}  // namespace retrial::oracles

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
      auto& run = *c->in_case;
      bool of_a_language = std::ranges::any_of(run.agents, [](auto& agent) { return agent != "native"; });
      bool read = std::ranges::any_of(run.exchanges, [](auto& e) { return e.tag.site.has_value(); });
      if (of_a_language || read || !call.site.empty()) continue;
      auto note = make_finding(
          compared, *c, call, kNoAgent, trace::Confidence::certain,
          run.agents.empty()
              ? "No agent was loaded in the processes that sent these requests: call sites are missing, and calls are "
                "told apart by operation and process. `retrial doctor` with the same command says why, and what would "
                "mend it."
              : "The programs that sent these requests say nothing of their source: call sites are missing, and calls "
                "are told apart by operation and process. They are read from debug information (-g), by addr2line.");
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

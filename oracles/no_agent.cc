// A note: no agent was loaded, so that calls are known by operation and process alone.
#include "oracles/table.h"

namespace retrial::oracles {
namespace {

class NoAgent final : public Oracle {
 public:
  std::string_view name() const override { return "no-agent"; }

  void judge(Cases cases, Opinion& opinion) const override {
    for (auto& exhibit : cases) judge_case(exhibit, opinion);
  }

 private:
  static void judge_case(const Exhibit& exhibit, Opinion& opinion) {
    for (auto* c : exhibit.comparisons) {
      auto& call = *c->faulted.front();
      if (!c->in_case->agents.empty() || !call.site.empty()) continue;
      auto note = state(exhibit, *c, call, "no-agent", trace::Confidence::certain,
                        "No agent was loaded in the processes that sent these requests: call sites are missing, and "
                        "calls are told apart by "
                        "operation and process.");
      note.note = true;
      note.operation.clear();
      note.fault.clear();
      note.id = trace::finding_id(note.verdict, {}, "", "");  // one a campaign
      opinion.notes.push_back(std::move(note));
    }
  }
};

}  // namespace

const Oracle& no_agent() {
  static const NoAgent oracle;
  return oracle;
}

}  // namespace retrial::oracles

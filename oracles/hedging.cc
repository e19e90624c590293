// A note: attempts of one call that were under way together, as gRPC's hedging policy sends them (gRFC A6).
#include <fmt/format.h>

#include <algorithm>

#include "oracles/evidence.h"
#include "oracles/registry.h"

namespace retrial::oracles {
namespace {

constexpr Verdict kHedging{
    .name = "hedging",
    .severity = Severity::information,
    .title = "Requests are sent twice on purpose",
    .why = "The client sent a second request before the first had failed.",
};

class Hedging final : public Oracle {
 public:
  std::span<const Verdict> verdicts() const override { return {&kHedging, 1}; }

  void judge(Cases cases, Judgement& judgement) const override {
    for (auto& compared : cases) judge_case(compared, judgement);
  }

 private:
  static void judge_case(const ComparedCase& compared, Judgement& judgement) {
    for (auto* c : compared.comparisons)
      for (auto* call : c->faulted) {
        auto copies = copies_of(*call);
        if (copies == 0) continue;
        auto note = make_finding(compared, *c, *call, kHedging, call->confidence,
                                 fmt::format("{}: {} of its {} attempts were sent while an earlier one was still open.",
                                             call->operation, copies, call->attempts.size()));
        judgement.notes.push_back(std::move(note));
      }
  }

  static std::size_t copies_of(const trace::Call& call) {
    std::size_t copies = 0;
    for (std::size_t i = 1; i < call.attempts.size(); i++)
      copies += std::any_of(call.attempts.begin(), call.attempts.begin() + static_cast<std::ptrdiff_t>(i),
                            [&](auto* before) { return hedged(*before, *call.attempts[i]); });
    return copies;
  }
};

}  // namespace

const Oracle& hedging() {
  static const Hedging oracle;
  return oracle;
}

}  // namespace retrial::oracles

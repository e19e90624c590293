// A fault left a connection in a state in which nothing more can be said on it (half a response, or one that never
// came), and the client sends another call on it all the same: that call suffers for the first one's fault.
#include <fmt/format.h>

#include <algorithm>

#include "oracles/evidence.h"
#include "oracles/registry.h"

namespace retrial::oracles {
namespace {

constexpr Verdict kPoisonedConnection{
    .name = "poisoned-connection",
    .severity = Severity::wrong_error,
    .title = "A broken connection is used again",
    .why = "After the fault the client went on with a connection whose state it could not know.",
    .remedy = "Close a connection after an error in the middle of an exchange.",
};

// After these what comes next on an HTTP/1 connection cannot be told from what was left of the faulted response.
bool poisons(const trace::Exchange& e) {
  if (!e.fired || e.stream != 0 || !leaves_rest(e.fault)) return false;
  return e.ending == trace::Ending::open || e.ending == trace::Ending::answered;
}
bool suffers(const trace::Exchange& e) {
  return !e.fired && !delivered(e) && (e.ending == trace::Ending::open || trace::told_failure(e));
}

class PoisonedConnection final : public Oracle {
 public:
  std::span<const Verdict> verdicts() const override { return {&kPoisonedConnection, 1}; }

  void judge(Cases cases, Judgement& judgement) const override {
    each_faulted(cases, [&](auto& compared, auto& c, auto& call) {
      for (auto* e : call.attempts)
        if (poisons(*e)) judge_after(compared, c, *e, judgement);
    });
  }

 private:
  static void judge_after(const ComparedCase& compared, const trace::Comparison& c, const trace::Exchange& faulted,
                          Judgement& judgement) {
    for (auto& later : c.case_calls) {
      auto& e = later.first();
      if (e.connection != faulted.connection || e.id <= faulted.id || later.id == faulted.call || !suffers(e)) continue;
      auto* beside = counterpart(c, later);
      if (beside && !delivered(beside->last())) continue;
      judgement.findings.push_back(make_finding(
          compared, c, later, kPoisonedConnection, std::min(trace::Confidence::likely, later.confidence),
          fmt::format("{} was sent on the connection on which {} had met {}, and got no answer of its own.",
                      later.operation, faulted.operation, trace::show(faulted.fault)),
          "A right client closes a connection whose last response did not come whole, and sends the next request "
          "on another."));
      return;
    }
  }
};

}  // namespace

const Oracle& poisoned_connection() {
  static const PoisonedConnection oracle;
  return oracle;
}

}  // namespace retrial::oracles

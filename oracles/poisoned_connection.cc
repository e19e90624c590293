// A fault left a connection in a state in which nothing more can be said on it (half a response, or one that never
// came), and the client sends another call on it all the same: that call suffers for the first one's fault.
#include <fmt/format.h>

#include <algorithm>

#include "oracles/evidence.h"
#include "oracles/table.h"

namespace retrial::oracles {
namespace {

// After these what comes next on an HTTP/1 connection cannot be told from what was left of the faulted response.
bool poisons(const trace::Exchange& e) {
  if (!e.fired || e.stream != 0) return false;
  switch (e.fault.name) {
    case trace::FaultName::stall:
    case trace::FaultName::lost_response:
    case trace::FaultName::wrong_length:
    case trace::FaultName::malformed:
    case trace::FaultName::duplicate:
      return e.ending == trace::Ending::open || e.ending == trace::Ending::answered;
    default:
      return false;
  }
}
bool suffers(const trace::Exchange& e) {
  return !e.fired && !delivered(e) && (e.ending == trace::Ending::open || trace::told_failure(e));
}

class PoisonedConnection final : public Oracle {
 public:
  std::string_view name() const override { return "poisoned-connection"; }

  void judge(Cases cases, Opinion& opinion) const override {
    each_faulted(cases, [&](auto& exhibit, auto& c, auto& call) {
      for (auto* e : call.attempts)
        if (poisons(*e) && !is_status(e->fault)) judge_after(exhibit, c, *e, opinion);
    });
  }

 private:
  static void judge_after(const Exhibit& exhibit, const trace::Comparison& c, const trace::Exchange& faulted,
                          Opinion& opinion) {
    for (auto& later : c.case_calls) {
      auto& e = later.first();
      if (e.connection != faulted.connection || e.id <= faulted.id || later.id == faulted.call || !suffers(e)) continue;
      auto* beside = counterpart(c, later);
      if (beside && !delivered(beside->last())) continue;
      opinion.findings.push_back(
          state(exhibit, c, later, "poisoned-connection", std::min(trace::Confidence::likely, later.confidence),
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

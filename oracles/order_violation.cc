// Two operations on one thing came the other way round, since the first was held for a moment, and that was not borne:
// nothing but time keeps their order. Waffle (Stoica et al., EuroSys 2023).
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "oracles/client_words.h"
#include "oracles/evidence.h"
#include "oracles/failure.h"
#include "oracles/registry.h"
#include "oracles/turn.h"

namespace retrial::oracles {
namespace {

using trace::Call;
using trace::Comparison;
using trace::Confidence;

constexpr Verdict kOrderViolation{
    .name = "order-violation",
    .severity = Severity::wrong_effect,
    .of_outcome = true,
    .title = "Two operations came the other way round, and that was not borne",
    .why = "Nothing keeps one of them behind the other: a slower network or another scheduler turns them around.",
    .remedy =
        "Wait for the first to be answered before the second is sent (a join, an event, an await), or let the "
        "second stand it: look again, or try again, where it comes too early.",
};

// Runs in which the second waited for the first, before that is taken for what always happens.
constexpr std::size_t kWaited = 3;

class OrderViolation final : public Oracle {
 public:
  std::span<const Verdict> verdicts() const override { return {&kOrderViolation, 1}; }

  void judge(Cases cases, Judgement& judgement) const override {
    for (auto& compared : cases) judge_case(compared, judgement);
  }

 private:
  // A run in which the order did not turn around says nothing of what would be then: another may.
  static void judge_case(const ComparedCase& compared, Judgement& judgement) {
    bool turned = false, raced = false;
    std::size_t waited = 0;
    for (auto* c : compared.comparisons)
      for (auto* call : c->faulted) {
        auto turn = turn_of(*c, *call);
        if (!turn) continue;
        turned = turned || turn->how == Turn::How::turned;
        raced = raced || turn->how == Turn::How::raced;
        waited += turn->how == Turn::How::waited;
        if (turn->how == Turn::How::turned) judge_turn(compared, *c, *call, *turn, judgement);
      }
    if (!turned && (raced || (waited > 0 && waited < kWaited))) judgement.needs_more_runs = true;
  }

  static void judge_turn(const ComparedCase& compared, const Comparison& c, const Call& call, const Turn& turn,
                         Judgement& judgement) {
    auto failure = failure_of(compared, c);
    if (failure && is_time_limit(text_of(*failure))) return;  // said by unrelated-exception
    auto errors = errors_of(c, turn);
    auto changes = changes_of(c, turn);
    bool hangs = c.in_case->stop == trace::Stop::hung && c.reference->stop != trace::Stop::hung;
    if (!failure && !hangs && errors.empty() && changes.empty()) return;

    std::string came;
    for (auto* e : errors)
      came += fmt::format("{}{} was answered {}", came.empty() ? "" : ", ",
                          e == turn.second  ? "the second"
                          : e == turn.first ? "the first"
                                            : named_at(*e),
                          show_error(*e));
    for (auto& change : changes) came += (came.empty() ? "" : ", ") + change;
    if (hangs) came += came.empty() ? "the test never ended" : ", and the test never ended";
    if (failure)
      came += fmt::format("{}the test ended with {}", came.empty() ? "" : ", and ",
                          failure->outermost() ? named(*failure->outermost()) : "a failure");
    auto sure = failure && !errors.empty()             ? Confidence::certain
                : failure || hangs || !changes.empty() ? Confidence::likely
                                                       : Confidence::possible;
    auto& held = *turn.first;
    auto f = make_finding(
        compared, c, call, kOrderViolation, std::min(sure, call.confidence),
        fmt::format(
            "Without the fault first {}, and {} later {}; nothing is known to keep that order. With it the first "
            "was held for {}, the second was answered before the service heard of the first, and {}.",
            named_at(*turn.first_before), show_gap(turn.second_before->begun - turn.first_before->begun),
            named_at(*turn.second_before), show_duration(held.fault.delay), came),
        "A right client sends the second once the first has been answered, or bears it where it comes too early.");
    // How long it was held is a matter of the machine's pace.
    f.id =
        trace::finding_id(f.verdict, f.site, f.operation + " > " + named_at(*turn.second_before), compared.row->policy);
    f.evidence.push_back(turn.second->id);
    judgement.findings.push_back(std::move(f));
  }
};

}  // namespace

const Oracle& order_violation() {
  static const OrderViolation oracle;
  return oracle;
}

}  // namespace retrial::oracles

// A service answered otherwise than its own tests have shown that it has to, and nobody looked. T2C (Lou et al., OSDI
// 2025).
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "checkers/file.h"
#include "checkers/monitor.h"
#include "oracles/evidence.h"
#include "oracles/ledger.h"
#include "oracles/registry.h"
#include "trace/profiles/message.h"

namespace retrial::oracles {
namespace {

constexpr Verdict kSemanticViolation{
    .name = "semantic-violation",
    .severity = Severity::wrong_effect,
    .of_outcome = true,
    .title = "A service's answers contradict what its tests have shown of it",
    .why = "Something was lost, done twice or read from an old state, and no assertion of the test looks at it.",
    .remedy =
        "Follow the exchanges named here: the checker says what should have been answered, and since which "
        "request. A checker that asks too much is edited or taken out of checkers.toml.",
};

using checkers::Outcome;
using trace::Call;
using trace::Comparison;
using trace::Confidence;

std::vector<Outcome> failures_of(const trace::Run& run) {
  std::vector<Outcome> out;
  checkers::watch(checkers::in_use(), run, [&](const Outcome& o) {
    if (o.verdict == checkers::Verdict::fail) out.push_back(o);
  });
  return out;
}

const trace::Exchange* exchange_of(const trace::Run& run, std::uint64_t id) {
  auto it = std::ranges::find(run.exchanges, id, &trace::Exchange::id);
  return it == run.exchanges.end() ? nullptr : &*it;
}

class SemanticViolation final : public Oracle {
 public:
  std::span<const Verdict> verdicts() const override { return {&kSemanticViolation, 1}; }

  void judge(Cases cases, Judgement& judgement) const override {
    if (checkers::in_use().empty()) return;
    for (auto& compared : cases)
      for (auto* c : compared.comparisons) judge_run(compared, *c, judgement);
  }

 private:
  static void judge_run(const ComparedCase& compared, const Comparison& c, Judgement& judgement) {
    if (may_be_thinned(*c.in_case) || !nobody_was_told(compared, c)) return;
    std::set<std::string> usual;
    for (auto& o : failures_of(*c.reference)) usual.insert(key_of(o));
    std::set<std::string> others;
    const Outcome* worst = nullptr;
    const Call* blamed = nullptr;
    auto failed = failures_of(*c.in_case);
    for (auto& o : failed) {
      if (usual.contains(key_of(o))) continue;
      auto* call = fault_before(c, o);
      if (!call) continue;
      if (!worst) worst = &o, blamed = call;
      others.insert(key_of(o));
    }
    if (!worst) return;
    auto more = others.size() - 1;
    auto f = make_finding(
        compared, c, *blamed, kSemanticViolation,
        std::min(may_be_meant(c, *worst) ? Confidence::possible : Confidence::likely, blamed->confidence),
        fmt::format("{}: {}, the test {}, and {} (checker {}{}).", blamed->operation,
                    what_was_done(*blamed, first_fired(*blamed)), c.reference->exchanges.empty() ? "went on" : "passed",
                    worst->says, worst->checker->name, more == 0 ? "" : fmt::format("; {} more fail", more)),
        fmt::format("A right one keeps what its tests show: {}.", checkers::sentence(*worst->checker)));
    for (auto id : worst->evidence)
      if (std::ranges::count(f.evidence, id) == 0) f.evidence.push_back(id);
    judgement.findings.push_back(std::move(f));
  }

  // A test that fails has told somebody. Of a recording without tests nothing is known of that.
  static bool nobody_was_told(const ComparedCase& compared, const Comparison& c) {
    auto* result = trace::result_of(*c.in_case, test_of(compared, c));
    if (!result) return c.reference->exchanges.empty();
    return result->outcome == "passed" && c.in_case->stop == trace::Stop::exited;
  }

  // The last faulted call that began before it was judged. Where no reference says what is usual: and not before the
  // state that it was judged by was set.
  static const Call* fault_before(const Comparison& c, const Outcome& o) {
    auto* judged = exchange_of(*c.in_case, o.exchange);
    auto* set = o.evidence.empty() ? nullptr : exchange_of(*c.in_case, o.evidence.front());
    const Call* last = nullptr;
    for (auto* call : c.faulted) {
      auto begun = call->first().begun;
      bool linked = !c.reference->exchanges.empty() || (set && call->last().told >= set->begun);
      if (judged && begun < judged->told && linked && (!last || begun > last->first().begun)) last = call;
    }
    return last;
  }

  // It was answered while a fault kept the one who answered from its own service: a part, or an older state, may be
  // what it gives on purpose then.
  // And what is read twice may have changed by itself, which the fault gave it the time for.
  static bool may_be_meant(const Comparison& c, const Outcome& o) {
    if (o.checker->rule == checkers::Rule::same_answer || checkers::may_be_chance(*o.checker)) return true;
    auto* judged = exchange_of(*c.in_case, o.exchange);
    return judged && std::ranges::any_of(c.in_case->exchanges, [&](auto& e) {
             return e.fired && e.id != judged->id && e.fired_at >= judged->begun && e.fired_at <= judged->told;
           });
  }
};

}  // namespace

const Oracle& semantic_violation() {
  static const SemanticViolation oracle;
  return oracle;
}

}  // namespace retrial::oracles

// Of several steps that belong together one failed, and what the earlier ones have done was not taken back, though the
// application can do that: a saga without its compensation (Garcia-Molina and Salem, SIGMOD'87). What is removed
// without the fault, too, is resource_leak.cc's.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "oracles/compensations.h"
#include "oracles/evidence.h"
#include "oracles/failure.h"
#include "oracles/held_by_rpc.h"
#include "oracles/ledger.h"
#include "oracles/registry.h"
#include "oracles/taken_back.h"
#include "oracles/time_of_fault.h"
#include "trace/profiles/message.h"
#include "trace/profiles/profile.h"

namespace retrial::oracles {

constinit const Verdict kMissingCompensation{
    .name = "missing-compensation",
    .severity = Severity::wrong_effect,
    .title = "One step stands, and another that belongs to it is not done",
    .why = "What that step made is left at its service, and whoever begins anew makes another.",
    .remedy =
        "Take back what was done, whatever a later step fails with, or may have done; or go on from it the next "
        "time.",
};

namespace {

using trace::Call;
using trace::Comparison;
using trace::Confidence;
using trace::Exchange;

class MissingCompensation final : public Oracle {
 public:
  std::span<const Verdict> verdicts() const override { return {&kMissingCompensation, 1}; }

  void judge(Cases cases, Judgement& judgement) const override {
    each_faulted(cases, [&](auto& compared, auto& c, auto& call) {
      if (!compared.row->compensation.step.empty()) judge_call(compared, c, call, judgement);
      judge_taken_back(compared, c, call, judgement);
      judge_half_taken_back(compared, c, call, judgement);
      judge_given_nowhere(compared, c, call, judgement);
    });
  }

 private:
  static void judge_call(const ComparedCase& compared, const Comparison& c, const Call& work, Judgement& judgement) {
    auto& known = compared.row->compensation;
    auto* beside = counterpart(c, work);
    if (!beside || of_death(c) || !came_to_its_end(c, test_of(compared, c)) || may_be_thinned(*c.in_case)) return;
    bool usual =
        std::ranges::any_of(beside->attempts, [](auto* e) { return trace::carried_out(*e) && e->method != "GET"; });
    if (!usual || trace::recovered(work) || !kept_from_service(work) || did_otherwise(c, work.first().begun)) return;
    auto* step = step_before(compared, c, work);
    if (!step || !stands(compared, c, *step)) return;
    auto* beside_step = counterpart(c, *step);
    auto confidence = how_sure(compared, c, work, step->last(), beside_step ? &beside_step->last() : nullptr);
    if (!confidence) return;
    judgement.findings.push_back(make_finding(
        compared, c, work, kMissingCompensation, std::min(*confidence, work.confidence),
        fmt::format("{}: {}, and it was not done. What {} had made before{} was left there: nothing that was sent "
                    "afterwards takes it back. {} ({}, {}): {}.",
                    work.operation, what_was_done(work, first_fired(work)), known.step, name_of(*c.in_case, *step),
                    known.after_error ? "After another error the same function does" : "The application can do that",
                    known.by, known.at, known.after_error ? known.seen : "seen in " + known.seen),
        "A right client takes back what it has done, or can go on from it when it is asked once more."));
  }

  // The latest of that operation, if the fault has let it alone.
  static const Call* step_before(const ComparedCase& compared, const Comparison& c, const Call& work) {
    const Call* found = nullptr;
    for (auto& call : c.case_calls)
      if (call.operation == compared.row->compensation.step &&
          is_step_before(call.last(), work.first(), test_of(compared, c)))
        found = &call;
    bool told = found && delivered(found->last()) && had_effect(found->last());
    return told && std::ranges::none_of(found->attempts, [](auto* e) { return e->fired; }) ? found : nullptr;
  }

  // Nothing was sent that may take it back; nor does its function, without the fault.
  static bool stands(const ComparedCase& compared, const Comparison& c, const Call& step) {
    auto& e = step.last();
    auto* usual = counterpart(c, step);
    if (!usual) return false;
    Removals removals(*c.reference);
    auto path_of = [&](auto& made) {
      auto path = removals.made_by(made);
      return path.empty() ? std::string(trace::message::path_of(made.target)) : path;
    };
    auto& made = usual->last();
    auto usually = e.grpc.is ? Removed{Removal::done, given_up_by(*c.reference, made)}
                             : removal_of(*c.reference, path_of(made), made.told);
    bool taken_back = usually.how == Removal::done && usually.by && usually.by->tag.site;
    if (taken_back && in_one_function(*e.tag.site, *usually.by->tag.site, test_of(compared, c))) return false;
    return e.grpc.is ? !given_up_by(*c.in_case, e)
                     : removal_of(*c.in_case, path_of(e), e.told, c.reference).how == Removal::never;
  }

  // Where that function takes it back after one error, it means to; unless it went on, and keeps it for later. Else its
  // caller may: if he knows of what; and who sends the same again with its name or key makes no other.
  static std::optional<Confidence> how_sure(const ComparedCase& compared, const Comparison& c, const Call& work,
                                            const Exchange& step, const Exchange* usual) {
    auto* result = trace::result_of(*c.in_case, test_of(compared, c));
    bool thrown = trace::bad(*result) && !result->chain.empty() && !is_assertion(result->chain.front());
    if (compared.row->compensation.after_error)
      return thrown && work.last().ending == trace::Ending::answered ? Confidence::likely : Confidence::possible;
    if (!thrown || step.method == "PUT") return {};
    auto key = trace::message::guarding_key(step);
    if (usual && !key.empty() && key == trace::message::guarding_key(*usual)) return {};
    auto name = last_segment(made_by(step));
    auto tells = [&](auto& t) { return !name.empty() && icontains(t.message, name); };
    return std::ranges::any_of(result->chain, tells) ? std::nullopt : std::optional(Confidence::possible);
  }

  static std::string name_of(const trace::Run& run, const Call& step) {
    auto path = Removals(run).made_by(step.last());
    return path.empty() ? "" : fmt::format(" ({})", shorten(path, 80));
  }
};

}  // namespace

const Oracle& missing_compensation() {
  static const MissingCompensation oracle;
  return oracle;
}

}  // namespace retrial::oracles

// A request with an effect, sent again after a loss, whatever became of the second. RFC 9110 9.2.2: a client should not
// do that by itself unless it knows that the request is idempotent, or that the first was never applied.
#include <fmt/format.h>

#include "oracles/evidence.h"
#include "oracles/other_state.h"
#include "oracles/registry.h"
#include "oracles/repeat.h"
#include "trace/fault_name.h"
#include "trace/profiles/profile.h"

namespace retrial::oracles {
namespace {

constexpr Verdict kRetriesNonIdempotent{
    .name = "retries-non-idempotent",
    .severity = Severity::wrong_effect,
    .of_outcome = true,
    .of_repeat = true,
    .title = "A request with an effect is sent again after a loss",
    .why =
        "The client sent a request again that the service may already have carried out, and nothing in it prevents a "
        "second effect.",
    .remedy = "Send an idempotency key or a condition with it, or do not retry it after a loss.",
};

class RetriesNonIdempotent final : public Oracle {
 public:
  std::span<const Verdict> verdicts() const override { return {&kRetriesNonIdempotent, 1}; }

  void judge(Cases cases, Judgement& judgement) const override {
    each_faulted(cases, [&](auto& compared, auto& c, auto& call) { judge_call(compared, c, call, judgement); });
  }

 private:
  // Copies on purpose are no retry, and not a bug before the service has executed two of them.
  static bool executed_as_copies(const ComparedCase& compared, const trace::Comparison& c, const trace::Call& call,
                                 Judgement& judgement) {
    const trace::Exchange* one = nullptr;
    for (auto* e : call.attempts) {
      if (!trace::carried_out(*e)) continue;
      if (!one) {
        one = e;
        continue;
      }
      if (!hedged(*one, *e)) continue;
      auto harm = harm_of_repeat(c, call, *one, *e);
      if (!harm) return false;
      judgement.findings.push_back(make_finding(
          compared, c, call, kRetriesNonIdempotent, harm->confidence,
          fmt::format(
              "{} was sent in {} copies at once (hedging), and the service executed both the {} and the {}: {}.",
              call.operation, call.attempts.size(), ordinal(static_cast<std::size_t>(one->attempt)),
              ordinal(static_cast<std::size_t>(e->attempt)), harm->why)));
      return true;
    }
    return false;
  }

  // gRPC itself retries only what a service config says may be retried: of a method that nothing is known of, the
  // developer has said it.
  static bool configured(const trace::Exchange& lost, const trace::Exchange& next) {
    return next.grpc.previous > lost.grpc.previous;
  }

  // Its answer began well, and did not come whole.
  static bool cut(const trace::Exchange& e) {
    return is_success(e.service_status) && trace::executed(e) && !is_status(e.fault) && trace::told_failure(e);
  }

  static void judge_call(const ComparedCase& compared, const trace::Comparison& c, const trace::Call& call,
                         Judgement& judgement) {
    if (executed_as_copies(compared, c, call, judgement) || looks_hold_as_much(c, call)) return;
    for (std::size_t i = 0; i + 1 < call.attempts.size(); i++) {
      auto &lost = *call.attempts[i], &next = *call.attempts[i + 1];
      if (!lost.fired || !follows(lost, next) || transparent(lost) || races(lost.fault)) continue;
      if (!is_loss(lost.fault) && !cut(lost)) continue;
      // A GET that takes (a queue's receive) may have found nothing to take: what was lost has to show it.
      if (lost.method == "GET" && trace::profile_of(lost).effect(lost).empty()) continue;
      auto harm = harm_of_repeat(c, call, lost, next);
      if (!harm || (configured(lost, next) && harm->confidence == trace::Confidence::possible)) continue;
      auto became = next.client_status ? fmt::format("was answered {}", trace::status_of(next, next.client_status))
                    : next.fired       ? std::string("was lost too")
                    : trace::executed(next)
                        ? fmt::format("was executed ({})", trace::status_of(next, next.service_status))
                        : std::string("got no answer");
      judgement.findings.push_back(make_finding(
          compared, c, call, kRetriesNonIdempotent, harm->confidence,
          fmt::format("{}: {}, the client sent it again after {}, and the {} attempt {}.", call.operation,
                      what_was_done(call, i), show_gap(next.begun - lost.told), ordinal(i + 2), became),
          fmt::format("A right client tells its caller, or sends a key by which the service knows it again: it "
                      "cannot know whether the service executed what it got no answer to, and {}.",
                      harm->why)));
      return;
    }
    note_status(compared, c, call, judgement);
  }

  // After a status by which a service, or what stands before it, may have executed the request all the same. Here it
  // was never heard, so that this is no more than a note.
  static void note_status(const ComparedCase& compared, const trace::Comparison& c, const trace::Call& call,
                          Judgement& judgement) {
    for (std::size_t i = 0; i + 1 < call.attempts.size(); i++) {
      auto &told = *call.attempts[i], &next = *call.attempts[i + 1];
      bool open = told.client_status == 500 || told.client_status == 502 || told.client_status == 504;
      if (!told.fired || told.fault.name != trace::FaultName::error || !open || !follows(told, next)) continue;
      auto harm = harm_of_repeat(c, call, told, next);
      if (!harm || harm->confidence == trace::Confidence::possible) continue;
      auto note = make_finding(
          compared, c, call, kRetriesNonIdempotent, harm->confidence,
          fmt::format("{} was answered {} and sent again.", call.operation, show_answer(told.client_status)),
          fmt::format("A right client knows that behind such an answer the service may have executed it: {}.",
                      harm->why));
      note.note = true;
      judgement.notes.push_back(std::move(note));
      return;
    }
  }
};

}  // namespace

const Oracle& retries_non_idempotent() {
  static const RetriesNonIdempotent oracle;
  return oracle;
}

}  // namespace retrial::oracles

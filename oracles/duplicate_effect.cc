// Two attempts of one call, both executed; or a copy that was sent while the first was still waited for. Rainmaker
// (NSDI'23) 4.3, RFC 9110 9.2.2.
#include <fmt/format.h>

#include "oracles/evidence.h"
#include "oracles/registry.h"
#include "oracles/repeat.h"
#include "trace/profiles/profile.h"

namespace retrial::oracles {
namespace {

constexpr Verdict kDuplicateEffect{
    .name = "duplicate-effect",
    .severity = Severity::wrong_effect,
    .of_outcome = true,
    .title = "A call had its effect twice",
    .why = "The client sent a request again after its answer was lost, and the service carried it out both times.",
    .remedy =
        "Send an idempotency key or a condition with it, make the operation idempotent, or do not retry it after a "
        "loss.",
};

class DuplicateEffect final : public Oracle {
 public:
  std::span<const Verdict> verdicts() const override { return {&kDuplicateEffect, 1}; }

  void judge(Cases cases, Judgement& judgement) const override {
    each_faulted(cases, [&](auto& compared, auto& c, auto& call) {
      judge_call(compared, c, call, judgement);
      judge_copy(compared, c, call, judgement);
      judge_count(compared, c, call, judgement);
    });
  }

 private:
  // A hedged copy is a call of its own to whoever reads the wire (of gRPC its header says what it is). One of many
  // alike that the reference does not have; where there is none, they may be many things alike.
  static void judge_copy(const ComparedCase& compared, const trace::Comparison& c, const trace::Call& call,
                         Judgement& judgement) {
    auto& one = call.first();
    if (!trace::carried_out(one) || one.request_digest == 0) return;
    for (auto& pair : c.pairs) {
      if (!pair.in_case || pair.in_case == &call || pair.reference) continue;
      auto& other = pair.in_case->first();
      bool same = other.request_digest == one.request_digest && other.operation == one.operation &&
                  other.target == one.target && other.service == one.service && other.pid == one.pid &&
                  other.tag.site == one.tag.site;
      bool meanwhile = other.begun > one.begun && (one.told == 0 || other.begun < one.told);
      if (!same || !meanwhile || !trace::carried_out(other)) continue;
      auto harm = harm_of_repeat(c, call, one, other);
      if (!harm) continue;
      auto sure = c.reference->exchanges.empty() ? trace::Confidence::possible : harm->confidence;
      judgement.findings.push_back(make_finding(
          compared, c, call, kDuplicateEffect, sure,
          fmt::format("{} was asked for once and executed twice: {}, the client sent a copy of it {} after the first, "
                      "while it still waited for that, and the service answered {} to both.",
                      call.operation, what_was_done(call, 0), show_gap(other.begun - one.begun),
                      trace::status_of(other, other.service_status)),
          fmt::format("A right client sends copies only of what may be done twice, or with a key by which the service "
                      "knows them: {}.",
                      harm->why)));
      judgement.findings.back().evidence.push_back(other.id);
      return;
    }
  }

  // Read, changed and written again: to whoever reads the wire another request.
  static void judge_count(const ComparedCase& compared, const trace::Comparison& c, const trace::Call& call,
                          Judgement& judgement) {
    auto& before = call.last();
    auto again = counted_again(c, before);
    if (!again) return;
    judgement.findings.push_back(make_finding(
        compared, c, call, kDuplicateEffect, std::min(trace::Confidence::likely, call.confidence),
        fmt::format(
            "{} was asked for once and executed twice: {}, the client read the count again and set it anew: {}.",
            call.operation, what_was_done(call, first_fired(call)), again->how),
        "A right client sends the value that it had worked out before, or on a condition (If-Match), so that the step "
        "is done once."));
    judgement.findings.back().evidence.push_back(again->next->id);
  }

  static void judge_call(const ComparedCase& compared, const trace::Comparison& c, const trace::Call& call,
                         Judgement& judgement) {
    std::size_t one = call.attempts.size();
    for (std::size_t i = 0; i < call.attempts.size(); i++) {
      auto& e = *call.attempts[i];
      if (!trace::carried_out(e)) continue;
      if (one == call.attempts.size()) {
        if (!trace::told_failed(e))
          return;  // its client was told of the success: what follows is no attempt of this call
        one = i;
        continue;
      }
      auto& before = *call.attempts[one];
      if (!follows(before, e)) return;
      auto harm = harm_of_repeat(c, call, before, e);
      if (!harm) return;
      judgement.findings.push_back(make_finding(
          compared, c, call, kDuplicateEffect, harm->confidence, message(call, one, i),
          fmt::format("A right client does it once, since {}: it tells its caller of the loss, or sends the same key "
                      "with each attempt, by which the service knows the request again.",
                      harm->why)));
      return;
    }
  }

  static std::string message(const trace::Call& call, std::size_t one, std::size_t other) {
    auto &a = *call.attempts[one], &b = *call.attempts[other];
    std::size_t times = 0;
    for (auto* e : call.attempts) times += trace::carried_out(*e);
    auto how_often = times == 2 ? std::string("twice") : fmt::format("{} times", times);
    auto statuses = a.service_status == b.service_status
                        ? fmt::format("both were answered {}", trace::status_of(a, a.service_status))
                        : fmt::format("they were answered {} and {}", trace::status_of(a, a.service_status),
                                      trace::status_of(b, b.service_status));
    auto& profile = trace::profile_of(a);
    auto left = profile.effect(a), right = profile.effect(b);
    auto shown = !left.empty() && !right.empty() && left != right
                     ? fmt::format(" ({} and {})", shorten(left, 60), shorten(right, 60))
                     : "";
    return fmt::format("{} was asked for once and executed {}: {}, the client sent it again after {}, and {}{}.",
                       call.operation, how_often, what_was_done(call, one), show_gap(b.begun - a.told), statuses,
                       shown);
  }
};

}  // namespace

const Oracle& duplicate_effect() {
  static const DuplicateEffect oracle;
  return oracle;
}

}  // namespace retrial::oracles

// Two attempts of one call, both executed. Rainmaker (NSDI'23) 4.3, RFC 9110 9.2.2.
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
    each_faulted(cases, [&](auto& compared, auto& c, auto& call) { judge_call(compared, c, call, judgement); });
  }

 private:
  static void judge_call(const ComparedCase& compared, const trace::Comparison& c, const trace::Call& call,
                         Judgement& judgement) {
    std::size_t one = call.attempts.size();
    for (std::size_t i = 0; i < call.attempts.size(); i++) {
      auto& e = *call.attempts[i];
      if (!is_success(e.service_status) || !trace::executed(e)) continue;
      if (one == call.attempts.size()) {
        if (!trace::told_failed(e))
          return;  // its client was told of the success: what follows is no attempt of this call
        one = i;
        continue;
      }
      auto& before = *call.attempts[one];
      if (!follows(before, e)) return;
      auto harm = harm_of_repeat(call, before, e);
      if (!harm) return;
      judgement.findings.push_back(make_finding(
          compared, c, call, kDuplicateEffect, harm->confidence, message(call, one, i),
          fmt::format("A right client does it once: {}, so it tells its caller of the loss, or sends a key by "
                      "which the service knows the request again.",
                      harm->why)));
      return;
    }
  }

  static std::string message(const trace::Call& call, std::size_t one, std::size_t other) {
    auto &a = *call.attempts[one], &b = *call.attempts[other];
    std::size_t times = 0;
    for (auto* e : call.attempts) times += is_success(e->service_status) && trace::executed(*e);
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

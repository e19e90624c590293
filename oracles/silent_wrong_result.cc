// The call went well for all that its caller can see, and the result is wrong. Rainmaker (NSDI'23) 4.3.
#include "oracles/silent_wrong_result.h"

#include "oracles/evidence.h"
#include "oracles/registry.h"
#include "trace/profiles/message.h"

namespace retrial::oracles {

constinit const Verdict kSilentWrongResult{
    .name = "silent-wrong-result",
    .severity = Severity::wrong_effect,
    .of_outcome = true,
    .title = "The result is wrong, and nobody is told",
    .why =
        "After the fault something else is read, written or taken for the answer than without it, and no error told of "
        "it.",
    .remedy =
        "Tell the caller of a failure, and take none for an answer. Where it was sent again, look at what the retry "
        "repeats or leaves out: state kept between attempts, a body read once, a page fetched twice.",
};

bool cut_short(const trace::Comparison& c, const trace::Call& call) {
  auto* beside = counterpart(c, call);
  auto& last = call.last();
  if (!last.fired || last.fault.point != trace::Point::in_body || !beside) return false;
  auto& was = beside->last();
  if (was.grpc.is) return was.grpc.responses > 1 && delivered(was) && trace::carried_out(was);
  return trace::message::safe_method(last.method) && trace::message::opaque(was);
}

namespace {

class SilentWrongResult final : public Oracle {
 public:
  std::span<const Verdict> verdicts() const override { return {&kSilentWrongResult, 1}; }

  void judge(Cases cases, Judgement& judgement) const override {
    for (auto& compared : cases)
      for (auto* c : compared.comparisons) {
        auto failure = failure_of(compared, *c);
        if (!failure) judge_what_came_after(compared, *c, judgement);
        if (!failure || !failure->outermost()) continue;
        if (is_assertion(*failure->outermost()))
          judge_assertion(compared, *c, *failure, judgement);
        else
          judge_nothing_given(compared, *c, *failure, judgement);
      }
  }
};

}  // namespace

const Oracle& silent_wrong_result() {
  static const SilentWrongResult oracle;
  return oracle;
}

}  // namespace retrial::oracles

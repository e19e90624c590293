// An exchange that was held, and that its client left untouched until the run was ended for it.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "oracles/evidence.h"
#include "oracles/registry.h"

namespace retrial::oracles {
namespace {

constexpr Verdict kMissingTimeout{
    .name = "missing-timeout",
    .severity = Severity::no_end,
    .title = "A call waits for ever",
    .why = "A service that accepts a request and never answers would hold this caller for as long as it likes.",
    .remedy = "Set a time-out on the request; of a gRPC call, a deadline.",
};

// Right defaults reach 300 s (browsers, aiohttp, undici): only who holds longer knows.
constexpr Nanos kLongestDefault = 310 * kSecond;
constexpr auto kAdvice =
    "A right client sets a time-out on every request: without one a service that falls silent holds its callers for "
    "ever.";
// The hold is measured from when the exchange was held, its fault from when it was recorded.
constexpr Nanos kSlack = 50 * kMillisecond;

// How long the client left it untouched, until the run was ended for it: that ends the client's processes too, so their
// connections close after the hold. 0: it did not.
Nanos untouched_for(const trace::Run& run, const trace::Exchange& e, Nanos hold) {
  if (!e.fired || !is_silence(e.fault)) return 0;
  if (e.ending != trace::Ending::open && e.ending != trace::Ending::client_left) return 0;
  auto time = (e.ending == trace::Ending::open ? run.ended : e.told) - e.fired_at;
  return time >= hold - kSlack ? time : 0;
}

// It gave up an earlier attempt that was silent, and sent the next: it has a time-out. Some clients keep the socket of
// an attempt open until then, so that the wait before the next looks like patience with the last.
bool gave_up_before(const trace::Call& call) {
  return std::any_of(call.attempts.begin(), call.attempts.end() - 1,
                     [](auto* e) { return e->fired && is_silence(e->fault); });
}

class MissingTimeout final : public Oracle {
 public:
  std::span<const Verdict> verdicts() const override { return {&kMissingTimeout, 1}; }

  void judge(Cases cases, Judgement& judgement) const override {
    for (auto& compared : cases) judge_case(compared, judgement);
  }

 private:
  static void judge_case(const ComparedCase& compared, Judgement& judgement) {
    for (auto* c : compared.comparisons) {
      if (c->in_case->stop != trace::Stop::held) continue;
      for (auto* call : c->faulted) {
        auto time = untouched_for(*c->in_case, call->last(), compared.hold);
        if (!time || gave_up_before(*call)) continue;
        if (call->last().grpc.is) {
          judge_rpc(compared, *c, *call, time, judgement);
          continue;
        }
        bool long_enough = time >= kLongestDefault - kSlack;
        judgement.findings.push_back(make_finding(
            compared, *c, *call, kMissingTimeout, long_enough ? trace::Confidence::likely : trace::Confidence::possible,
            fmt::format("{} was not answered for {}, and the client neither gave up nor closed its connection{}{}.",
                        call->operation, show_duration(time),
                        call->attempts.size() > 1 ? fmt::format(" (attempt {})", call->attempts.size()) : "",
                        long_enough
                            ? "; if its time-out is longer, --hold with more than that shows it"
                            : "; a time-out longer than that would look the same: --hold 310s tells them apart"),
            kAdvice));
      }
    }
  }

  // A deadline travels with its call, so that the wire shows where there is none.
  static void judge_rpc(const ComparedCase& compared, const trace::Comparison& c, const trace::Call& call, Nanos time,
                        Judgement& judgement) {
    auto& e = call.last();
    if (e.grpc.timeout) return;
    // What was held may not have been read to its end: the reference shows what kind of call it is. A stream that waits
    // for events is one that its client ends.
    auto* beside = counterpart(c, call);
    auto& attempts = (beside ? *beside : call).attempts;
    if (std::any_of(attempts.begin(), attempts.end(), [](auto* attempt) {
          return attempt->grpc.streams || attempt->aborted == trace::Exchange::Aborted::by_client;
        }))
      return judgement.not_judged.push_back(
          not_judged(compared, "a streaming call without a deadline may stay open for as long as it likes"));
    judgement.findings.push_back(make_finding(
        compared, c, call, kMissingTimeout, std::min(trace::Confidence::likely, call.confidence),
        fmt::format("{} carries no deadline (grpc-timeout), was not answered for {}, and was not given up{}.",
                    call.operation, show_duration(time),
                    call.attempts.size() > 1 ? fmt::format(" (attempt {})", call.attempts.size()) : ""),
        kAdvice));
  }
};

}  // namespace

const Oracle& missing_timeout() {
  static const MissingTimeout oracle;
  return oracle;
}

}  // namespace retrial::oracles

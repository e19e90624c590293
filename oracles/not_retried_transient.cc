// A note: a call that may be sent again was not, on an error by which the service says "try again".
#include <fmt/format.h>

#include <algorithm>

#include "oracles/evidence.h"
#include "oracles/known_repeats.h"
#include "oracles/ledger.h"
#include "oracles/registry.h"
#include "oracles/waits.h"
#include "trace/calls/correlator_keys.h"
#include "trace/fault_name.h"
#include "trace/profiles/fault_answer.h"
#include "trace/profiles/message.h"
#include "trace/profiles/profile.h"
#include "trace/status.h"

namespace retrial::oracles {
namespace {

constexpr Verdict kNotRetriedVerdicts[] = {
    {
        .name = "not-retried-transient",
        .severity = Severity::information,
        .title = "A transient error is not retried",
        .why = "The service's own code says that it may pass; the error went up to the caller.",
        .remedy = "Retry it if the caller cannot, with back-off and a limit.",
    },
    {
        .name = "retry-budget",
        .severity = Severity::information,
        .title = "Retries are limited over many calls",
        .why = "The client stopped retrying because earlier calls had used its budget.",
    },
};
constexpr const Verdict &kNotRetriedTransient = kNotRetriedVerdicts[0], &kRetryBudget = kNotRetriedVerdicts[1];

constexpr int kTooManyRequests = 429;  // RFC 6585 4

class NotRetriedTransient final : public Oracle {
 public:
  std::span<const Verdict> verdicts() const override { return kNotRetriedVerdicts; }

  void judge(Cases cases, Judgement& judgement) const override {
    for (auto& compared : cases) judge_case(compared, judgement);
  }

 private:
  static void judge_case(const ComparedCase& compared, Judgement& judgement) {
    for (auto* c : compared.comparisons) {
      if (c->in_case->stop != trace::Stop::exited) continue;
      for (auto* call : c->faulted) {
        auto& e = call->first();
        if (call->attempts.size() > 1 || call->unsaid || !e.fired || e.fault.name != trace::FaultName::error) continue;
        auto& profile = trace::profile_of(e);
        auto repeat = profile.repeat(e);
        if (repeat == trace::Repeat::effect || repeat == trace::Repeat::unknown) continue;
        auto told = e;
        told.response_sample = trace::error_told(e).body;
        // Who asks too often does well to give up.
        if (!profile.asks_again(told) || e.client_status == kTooManyRequests) continue;
        if (!e.grpc.is && told_to_wait(e)) continue;  // who is told to wait may give up
        if (written_later(*c, e) || asked_elsewhere(*c, e)) continue;
        if (auto earlier = retried_before(*c, e); !earlier.empty()) {
          judgement.notes.push_back(budget(compared, *c, *call, earlier));
          continue;
        }
        if (comes_later(*c, e)) continue;
        auto note = make_finding(compared, *c, *call, kNotRetriedTransient, trace::Confidence::likely,
                                 fmt::format("{} {}, though that error passes and the request may be repeated.",
                                             call->operation, not_sent_again(e.client_status)));
        judgement.notes.push_back(std::move(note));
      }
    }
  }

  // The same thing was written afterwards, if with another body: it was tried again.
  static bool written_later(const trace::Comparison& c, const trace::Exchange& e) {
    return (e.method == "PUT" || e.method == "PATCH") && std::ranges::any_of(c.in_case->exchanges, [&](auto& other) {
             return other.begun >= e.told && other.operation == e.operation && other.target == e.target &&
                    other.tag.site == e.tag.site;
           });
  }
  // Another service was asked for the same, which is not without the fault: that is how it was got over.
  static bool asked_elsewhere(const trace::Comparison& c, const trace::Exchange& e) {
    auto there = [&](const trace::Run& run) {
      return std::ranges::count_if(run.exchanges, [&](auto& other) {
        return other.service != e.service && other.method == e.method && other.request_digest == e.request_digest &&
               other.tag.test == e.tag.test && other.tag.site == e.tag.site &&
               trace::message::path_of(other.target) == trace::message::path_of(e.target);
      });
    };
    return !c.reference->exchanges.empty() && there(*c.in_case) > there(*c.reference);
  }
  // The same was sent once more than without the fault, if as a call of its own: a loop's next turn.
  static bool comes_later(const trace::Comparison& c, const trace::Exchange& e) {
    auto alike = [&](auto& other) {
      return other.tag.test == e.tag.test && same_request(other, e) && trace::part_of(other) == trace::part_of(e);
    };
    bool later = std::ranges::any_of(c.in_case->exchanges, [&](auto& other) {
      return other.begun > e.begun && &other != &e && other.tag.site == e.tag.site && alike(other);
    });
    return !c.reference->exchanges.empty() && (later || std::ranges::count_if(c.in_case->exchanges, alike) >
                                                            std::ranges::count_if(c.reference->exchanges, alike));
  }
  // gRPC's retry throttling (gRFC A6) counts over all calls of a channel, and some SDKs' over all of a client: one that
  // fails after others had been retried is let go. A channel cannot be seen, its process and service can; outside of
  // gRPC, where each call may have a policy of its own, only the same error of the same call tells.
  static std::string retried_before(const trace::Comparison& c, const trace::Exchange& e) {
    std::size_t calls = 0, failures = 0;
    for (auto& call : c.case_calls) {
      auto& first = call.first();
      if (first.grpc.is != e.grpc.is || first.pid != e.pid || first.service != e.service || first.begun >= e.begun)
        continue;
      if (!e.grpc.is &&
          (first.operation != e.operation || first.tag.site != e.tag.site || first.client_status != e.client_status))
        continue;
      calls += call.attempts.size() > 1;
      failures += static_cast<std::size_t>(
          std::count_if(call.attempts.begin(), call.attempts.end(), [](auto* a) { return trace::told_failed(*a); }));
    }
    if (calls == 0) return {};
    return fmt::format("{} of this process had been sent again by then, after {}", counted(calls, "call"),
                       counted(failures, "failure"));
  }
  static trace::Finding budget(const ComparedCase& compared, const trace::Comparison& c, const trace::Call& call,
                               const std::string& earlier) {
    auto note =
        make_finding(compared, c, call, kRetryBudget, std::min(trace::Confidence::likely, call.confidence),
                     fmt::format("{} was answered {} and not sent again, though {}: what may be retried over all calls "
                                 "looks used up.",
                                 call.operation, trace::show_status(call.first().client_status), earlier));
    return note;
  }
};

}  // namespace

const Oracle& not_retried_transient() {
  static const NotRetriedTransient oracle;
  return oracle;
}

}  // namespace retrial::oracles

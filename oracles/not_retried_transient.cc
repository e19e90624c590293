// A note: a call that may be sent again was not, on an error by which the service says "try again".
#include <fmt/format.h>

#include <algorithm>

#include "oracles/evidence.h"
#include "oracles/table.h"
#include "trace/profiles/profile.h"
#include "trace/status.h"

namespace retrial::oracles {
namespace {

class NotRetriedTransient final : public Oracle {
 public:
  std::string_view name() const override { return "not-retried-transient"; }

  void judge(Cases cases, Opinion& opinion) const override {
    for (auto& exhibit : cases) judge_case(exhibit, opinion);
  }

 private:
  static void judge_case(const Exhibit& exhibit, Opinion& opinion) {
    for (auto* c : exhibit.comparisons) {
      if (c->in_case->stop != trace::Stop::exited) continue;
      for (auto* call : c->faulted) {
        auto& e = call->first();
        if (call->attempts.size() > 1 || !e.fired || e.fault.name != trace::FaultName::error) continue;
        auto& profile = trace::profile_of(e);
        auto repeat = profile.repeat(e);
        if (repeat == trace::Repeat::effect || repeat == trace::Repeat::unknown) continue;
        auto told = e;
        told.response_sample = profile.error(e, e.client_status, "retrial-" + e.fault_id).body;
        if (!profile.asks_again(told)) continue;
        if (auto earlier = retried_before(*c, e); !earlier.empty()) {
          opinion.notes.push_back(budget(exhibit, *c, *call, earlier));
          continue;
        }
        auto note = state(
            exhibit, *c, *call, "not-retried-transient", trace::Confidence::likely,
            fmt::format(
                "{} was answered {} and not sent again, though that error passes and the request may be repeated.",
                call->operation, trace::show_status(e.client_status)));
        note.note = true;
        opinion.notes.push_back(std::move(note));
      }
    }
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
  static trace::Finding budget(const Exhibit& exhibit, const trace::Comparison& c, const trace::Call& call,
                               const std::string& earlier) {
    auto note =
        state(exhibit, c, call, "retry-budget", std::min(trace::Confidence::likely, call.confidence),
              fmt::format("{} was answered {} and not sent again, though {}: what may be retried over all calls "
                          "looks used up.",
                          call.operation, trace::show_status(call.first().client_status), earlier));
    note.note = true;
    return note;
  }
};

}  // namespace

const Oracle& not_retried_transient() {
  static const NotRetriedTransient oracle;
  return oracle;
}

}  // namespace retrial::oracles

// What was sent again was not the same: another body, key, method or condition. To the service it is another request:
// a key that changes protects nothing. What retries change on purpose is known (trace/comparing/body_change.h).
#include <fmt/format.h>

#include <algorithm>

#include "oracles/evidence.h"
#include "oracles/registry.h"
#include "oracles/rpc_name.h"
#include "trace/comparing/body_change.h"
#include "trace/profiles/profile.h"

namespace retrial::oracles {
namespace {

constexpr Verdict kChangedOnRetry{
    .name = "changed-on-retry",
    .severity = Severity::wrong_effect,
    .title = "A retry sends something else",
    .why = "The retry differs from the attempt that it repeats in more than what retries may change.",
    .remedy = "Build the request once, and send the same one again.",
};

constexpr auto kConditions = "If-Match, If-Unmodified-Since";

class ChangedOnRetry final : public Oracle {
 public:
  std::span<const Verdict> verdicts() const override { return {&kChangedOnRetry, 1}; }

  void judge(Cases cases, Judgement& judgement) const override {
    each_faulted(cases, [&](auto& compared, auto& c, auto& call) {
      if (auto* forced = written_all_the_same(c, call))
        judgement.findings.push_back(make_finding(
            compared, c, call, kChangedOnRetry, std::min(trace::Confidence::likely, call.confidence),
            fmt::format(
                "{}: the {} attempt was answered {} by the service, and the very same was then sent without its "
                "condition ({}), and answered {}.",
                call.operation, ordinal(call.attempts.size()), show_error(call.last()), kConditions,
                show_answer(forced->client_status)),
            "A right client reads again what has changed, and makes its change anew: the condition keeps it from "
            "writing "
            "over what somebody else has written."));
      // Where it is only possible that these are one call, their difference says that they are two.
      if (call.confidence == trace::Confidence::possible) return;
      for (std::size_t i = 0; i + 1 < call.attempts.size(); i++) {
        auto &before = *call.attempts[i], &next = *call.attempts[i + 1];
        if (!follows(before, next) || before.grpc.responses > 0) continue;  // a stream goes on where it broke
        if (never_sent_again(call, i)) {
          judgement.findings.push_back(make_finding(
              compared, c, call, kChangedOnRetry, std::min(trace::Confidence::likely, call.confidence),
              fmt::format(
                  "{}: the {} attempt sent a body of {} bytes, and {} after it broke off before theirs: it could "
                  "not be sent again.",
                  call.operation, ordinal(i + 1), before.request_bytes,
                  call.attempts.size() == i + 2 ? "the one" : "those"),
              right({.shrunk = true})));
          return;
        }
        auto change = trace::change_between(before, next);
        if (!change || (change.target && !change.key && !change.condition && !change.body && !change.method)) continue;
        bool key_alone = change.key && !change.condition && !change.body && !change.method;
        if (key_alone && rpc_reads(before)) continue;
        if (!change.key && !change.method && read_between(*c.in_case, before, next)) continue;
        judgement.findings.push_back(
            make_finding(compared, c, call, kChangedOnRetry, sure(change),
                         fmt::format("{}: the {} attempt was not what the {} was: {}.", call.operation, ordinal(i + 2),
                                     ordinal(i + 1), change.what),
                         right(change)));
        return;
      }
    });
  }

 private:
  // The service has refused the condition, nothing was read since, and the same is written without it. Null: it is not.
  static const trace::Exchange* written_all_the_same(const trace::Comparison& c, const trace::Call& call) {
    constexpr int kPreconditionFailed = 412;  // RFC 9110 15.5.13
    auto& refused = call.last();
    auto conditional = [](const trace::Exchange& e) {
      return !trace::find(e.request_headers, "if-match").empty() ||
             !trace::find(e.request_headers, "if-unmodified-since").empty();
    };
    if (refused.service_status != kPreconditionFailed || !conditional(refused)) return nullptr;
    for (auto& e : c.in_case->exchanges)
      if (e.begun >= refused.told && e.operation == refused.operation && e.target == refused.target &&
          e.request_digest == refused.request_digest && !conditional(e) && trace::carried_out(e) &&
          !read_between(*c.in_case, refused, e))
        return &e;
    return nullptr;
  }
  // It was sent whole the first time; each attempt after it has a head that announces a body, and was left by the
  // client itself before the first byte of that.
  static bool never_sent_again(const trace::Call& call, std::size_t first) {
    auto& whole = *call.attempts[first];
    if (!whole.request_read || whole.request_bytes == 0 || whole.grpc.is || whole.stream) return false;
    return std::ranges::all_of(
        call.attempts.begin() + static_cast<std::ptrdiff_t>(first) + 1, call.attempts.end(), [](auto* e) {
          auto length = trace::find(e->request_headers, "content-length");
          bool announced =
              !trace::find(e->request_headers, "transfer-encoding").empty() || (!length.empty() && length != "0");
          return announced && !e->fired && e->ending == trace::Ending::client_left && !e->request_read &&
                 e->request_bytes == 0 && trace::find(e->request_headers, "expect").empty();
        });
  }
  static std::string right(const trace::Change& change) {
    if (change.key)
      return "A right client sends the same key with every attempt: by it the service knows them for one.";
    if (change.shrunk)
      return "A right client rewinds the file or stream that it sends, or keeps what it has read: it sends all of it "
             "again.";
    return "A right client sends again what it sent before: to the service anything else is another request.";
  }
  static trace::Confidence sure(const trace::Change& change) {
    return change.key || change.condition || change.method || change.shrunk ? trace::Confidence::likely
                                                                            : trace::Confidence::possible;
  }
};

}  // namespace

const Oracle& changed_on_retry() {
  static const ChangedOnRetry oracle;
  return oracle;
}

}  // namespace retrial::oracles

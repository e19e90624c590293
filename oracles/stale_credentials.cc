// Who was told that his credentials are not valid (RFC 9110 15.5.2), got new ones and came again with the old.
#include <fmt/format.h>

#include <algorithm>

#include "oracles/evidence.h"
#include "oracles/registry.h"
#include "oracles/repeat.h"
#include "trace/profiles/profile.h"
#include "trace/status.h"

namespace retrial::oracles {
namespace {

constexpr Verdict kStaleCredentials{
    .name = "stale-credentials",
    .severity = Severity::wrong_error,
    .title = "New credentials are got, and not used",
    .why = "The request was sent again with the old ones: whoever has signed in long ago fails until he begins anew.",
    .remedy = "Make the request anew with the credentials that were just given, before it is sent again.",
};

class StaleCredentials final : public Oracle {
 public:
  std::span<const Verdict> verdicts() const override { return {&kStaleCredentials, 1}; }

  void judge(Cases cases, Judgement& judgement) const override {
    each_faulted(cases, [&](auto& compared, auto& c, auto& call) { judge_renewal(compared, c, call, judgement); });
  }

 private:
  // It was told once that its credentials are not valid, got new ones, and came again: with the old ones, as is seen,
  // or as the service itself says, which without the fault knows everybody.
  static void judge_renewal(const ComparedCase& compared, const trace::Comparison& c, const trace::Call& call,
                            Judgement& judgement) {
    for (auto* told : call.attempts)
      if (told->fired && told->told && not_known(told->client_status) &&
          judge_renewal(compared, c, call, *told, judgement))
        return;
  }
  static bool judge_renewal(const ComparedCase& compared, const trace::Comparison& c, const trace::Call& call,
                            const trace::Exchange& told, Judgement& judgement) {
    auto& all = c.in_case->exchanges;
    auto alike = [&](const trace::Exchange& e) {
      return e.begun >= told.told && e.pid == told.pid && e.service == told.service && e.method == told.method &&
             e.target == told.target;
    };
    auto attempt = std::ranges::find_if(call.attempts, [&](auto* e) { return alike(*e); });
    bool same_call = attempt != call.attempts.end();
    auto other = std::ranges::find_if(all, alike);
    if (other == all.end()) return false;
    auto& again = same_call ? **attempt : *other;
    auto renewal = std::ranges::find_if(all, [&](auto& e) {
      return e.begun >= told.told && e.told && e.told <= again.begun && e.pid == told.pid && trace::carried_out(e) &&
             lets_in(e);
    });
    if (renewal == all.end()) return false;
    bool old = told.credentials && again.credentials == told.credentials && renewal->credentials_given &&
               renewal->credentials_given != told.credentials;
    auto refused = [&](auto& e) { return e.operation == told.operation && not_known(e.service_status); };
    bool found_out = !again.fired && refused(again) && std::ranges::none_of(c.reference->exchanges, refused);
    if (!old && !found_out) return false;
    // Another call that was made before the renewal, and sent after it, still holds the old ones; its like come with
    // the new.
    auto uses_new = [&](const trace::Exchange& e) {
      return alike(e) && e.begun > again.begun &&
             ((renewal->credentials_given && e.credentials == renewal->credentials_given) ||
              (found_out && trace::carried_out(e)));
    };
    if (!same_call && std::ranges::any_of(all, uses_new)) return false;
    judgement.findings.push_back(make_finding(
        compared, c, call, kStaleCredentials, std::min(trace::Confidence::likely, call.confidence),
        fmt::format("{} was answered {}, {} gave new credentials, and {} was sent again{}", call.operation,
                    show_answer(told.client_status), renewal->operation, call.operation,
                    old ? std::string(" with the old ones.")
                        : fmt::format(": the service itself answered {}, which it never does without the fault. It was "
                                      "hardly asked with the new ones.",
                                      show_error(again))),
        "A right client sends the request again with the credentials that it has just been given: one that was made "
        "before them still holds the old ones."));
    judgement.findings.back().evidence.push_back(renewal->id);
    judgement.findings.back().evidence.push_back(again.id);
    return true;
  }
  static bool not_known(int status) {
    return status == 401 || status == trace::kGrpcStatus + trace::grpc_code::unauthenticated;
  }
};

}  // namespace

const Oracle& stale_credentials() {
  static const StaleCredentials oracle;
  return oracle;
}

}  // namespace retrial::oracles

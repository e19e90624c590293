// The service said that it will never be otherwise (RFC 9110 15.5: the client seems to have erred), and was asked the
// very same again. What is permanent the service's own profile says: throttling may come as a 400.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "oracles/evidence.h"
#include "oracles/ledger.h"
#include "oracles/registry.h"
#include "oracles/repeat.h"
#include "oracles/waits.h"
#include "trace/comparing/retrier.h"
#include "trace/fault_name.h"
#include "trace/profiles/fault_answer.h"
#include "trace/profiles/profile.h"
#include "trace/status.h"

namespace retrial::oracles {
namespace {

constexpr Verdict kRetriesPermanentError{
    .name = "retries-permanent-error",
    .severity = Severity::haste,
    .title = "An error that will not pass is retried",
    .why = "The service's answer will be the same each time: the retries only cost time and load.",
    .remedy = "Retry only what can pass: 408, 429, 500, 502, 503, 504 and what the service documents.",
};

// 409, 423 and the like pass when others are done; 408, 425 and 429 ask for another try.
constexpr std::array kPermanent = {400, 401, 403, 404, 405, 406, 410, 411, 413, 414, 415, 417, 422, 431, 451};
constexpr std::array kPermanentRpc = {trace::grpc_code::invalid_argument,    trace::grpc_code::not_found,
                                      trace::grpc_code::already_exists,      trace::grpc_code::permission_denied,
                                      trace::grpc_code::failed_precondition, trace::grpc_code::out_of_range,
                                      trace::grpc_code::unimplemented,       trace::grpc_code::unauthenticated};

constexpr std::size_t kRetriesAtMost = 5;  // gRFC A6: a retry policy makes five attempts at most
constexpr Nanos kEven = 20 * kMillisecond;
constexpr Nanos kLooks = 50 * kMillisecond;  // who comes more often than twenty times a second waits for nothing

bool permanent(int status) {
  return trace::is_grpc(status) ? std::ranges::count(kPermanentRpc, trace::grpc_code_of(status)) > 0
                                : std::ranges::count(kPermanent, status) > 0;
}

// As the client was told: by the fault, in the profile's words.
bool says_never(const trace::Exchange& e) {
  if (!e.fired || e.fault.name != trace::FaultName::error || !permanent(e.client_status)) return false;
  if (told_to_wait(e)) return false;
  auto& profile = trace::profile_of(e);
  auto told = e;
  told.response_sample = trace::error_told(e).body;
  return !profile.asks_again(told);
}

// Once more with other credentials, or a newer date, is how an expired token and a skewed clock are got over.
std::size_t forgiven(int status) {
  bool credentials = status == 401 || status == 403 ||
                     status == trace::kGrpcStatus + trace::grpc_code::unauthenticated ||
                     status == trace::kGrpcStatus + trace::grpc_code::permission_denied;
  return credentials ? 1 : 0;
}

class RetriesPermanentError final : public Oracle {
 public:
  std::span<const Verdict> verdicts() const override { return {&kRetriesPermanentError, 1}; }

  void judge(Cases cases, Judgement& judgement) const override {
    std::set<std::pair<std::string, std::string>> plain;  // call sites and operations that waited for nothing
    each_faulted(cases, [&](auto&, auto& c, auto& call) {
      auto seen = sent_again(c, call);
      if (seen.said && !may_wait_for_it(call, *seen.said)) plain.insert({call.site, call.operation});
    });
    each_faulted(cases, [&](auto& compared, auto& c, auto& call) {
      auto [said, again] = sent_again(c, call);
      if (!said || (call.confidence < trace::Confidence::certain && comes_as_often(c, *said))) return;
      bool may_wait = may_wait_for_it(call, *said), waits = plain.empty() && may_wait;
      if (may_wait && plain.contains({call.site, call.operation})) return;  // the other tells it better
      judgement.findings.push_back(make_finding(
          compared, c, call, kRetriesPermanentError,
          std::min(waits || polls(c, call) ? trace::Confidence::possible : trace::Confidence::likely, call.confidence),
          fmt::format("{} was answered {}, and the very same was sent {} more{}.", call.operation,
                      show_answer(said->client_status), counted(again, "time"),
                      waits            ? ": a retry, or a wait until it is there"
                      : polls(c, call) ? ": a retry, or a wait until it is well"
                                       : ""),
          "A right client takes such an answer for one, and gives up at once: nothing that it can send again will "
          "change it, and its caller waits for the error in vain."));
    });
  }

 private:
  struct SentAgain {
    const trace::Exchange* said = nullptr;  // the first that was; null: none
    std::size_t times = 0;
  };
  static SentAgain sent_again(const trace::Comparison& c, const trace::Call& call) {
    SentAgain seen;
    if (call.first().method == "HEAD") return seen;  // asks whether it is there by now
    if (trace::sent_by_test(call)) return seen;      // two uses of the application, of which the first failed
    for (std::size_t i = 0; i + 1 < call.attempts.size(); i++) {
      auto &before = *call.attempts[i], &next = *call.attempts[i + 1];
      if (before.service != next.service) continue;  // another replica may take it
      // What undoes the first, perhaps.
      if (call.confidence == trace::Confidence::possible && before.request_digest != next.request_digest) continue;
      if (!follows(before, next) || !says_never(before) || went_to_another(*c.in_case, before, next)) continue;
      seen.times++;
      if (!seen.said) seen.said = &before;
    }
    if (seen.said && seen.times <= forgiven(seen.said->client_status)) return {};
    return seen;
  }
  // Not there: by now?
  static bool may_wait_for_it(const trace::Call& call, const trace::Exchange& said) {
    bool not_there =
        said.client_status == 404 || said.client_status == trace::kGrpcStatus + trace::grpc_code::not_found;
    return not_there && reads(call);
  }
  // Who waits until a service is well looks again and again, evenly, whatever he is told.
  static bool polls(const trace::Comparison& c, const trace::Call& call) {
    auto waits = waits_of(c, call);
    if (may_wait_until(c, call)) return true;
    if (!reads(call) || waits.size() < kRetriesAtMost) return false;
    auto [least, most] = std::ranges::minmax(waits, {}, &Wait::gap);
    return least.gap >= kLooks && most.gap <= least.gap * 6 / 5 + kEven;
  }
  static bool reads(const trace::Call& call) {
    return trace::profile_of(call.first()).repeat(call.first()) == trace::Repeat::safe;
  }
};

}  // namespace

const Oracle& retries_permanent_error() {
  static const RetriesPermanentError oracle;
  return oracle;
}

}  // namespace retrial::oracles

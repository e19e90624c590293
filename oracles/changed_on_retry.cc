// What was sent again was not the same: another body, key, method or condition. To the service it is another request:
// a key that changes protects nothing. What retries change on purpose is known (trace/comparing/body_change.h).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "oracles/evidence.h"
#include "oracles/ledger.h"
#include "oracles/members.h"
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
      if (judge_grown(compared, c, call, judgement)) return;
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
  // A number that is a multiple of what it was, and nothing else differs: it was added to what the attempt before had
  // counted ("total += …" within the loop). Of what the reference sends once, and as the first attempt did.
  static bool judge_grown(const ComparedCase& compared, const trace::Comparison& c, const trace::Call& call,
                          Judgement& judgement) {
    auto* beside = counterpart(c, call);
    auto& first = call.first();
    if (!beside || !trace::told_failed(first) || times_done(*c.reference, beside->first()) > 1) return false;
    auto again = std::ranges::find_if(c.in_case->exchanges, [&](auto& e) {
      return e.begun >= first.told && e.operation == first.operation && e.target == first.target &&
             e.tag.site == first.tag.site && e.pid == first.pid;
    });
    if (again == c.in_case->exchanges.end()) return false;
    auto usual = members_of(beside->first().request_sample), was = members_of(first.request_sample),
         is = members_of(again->request_sample);
    auto grown = grown_number(was, is);
    if (!grown || !std::ranges::equal(usual, was, {}, &Member::value, &Member::value)) return false;
    judgement.findings.push_back(make_finding(
        compared, c, call, kChangedOnRetry, trace::Confidence::likely,
        fmt::format("{}: {}, and it was sent again with \"{}\" {}, {} times what it was ({}).", call.operation,
                    what_was_done(call, first_fired(call)), grown->name, grown->is, grown->times, grown->was),
        "A right client works out what it sends once, or anew for each attempt: what one attempt has added the next "
        "must not find."));
    return true;
  }
  struct Grown {
    std::string name, was, is;
    int times = 0;
  };
  static std::optional<Grown> grown_number(const std::vector<Member>& was, const std::vector<Member>& is) {
    constexpr int kMostTimes = 3;
    // What a client that backs off asks for more of, or less often.
    static constexpr std::array<std::string_view, 9> kOfWaits = {"wait",  "timeout", "delay", "interval",  "backoff",
                                                                 "lease", "limit",   "size",  "visibility"};
    std::optional<Grown> grown;
    if (was.size() != is.size()) return {};
    for (std::size_t i = 0; i < was.size(); i++) {
      if (was[i].path != is[i].path) return {};
      if (was[i].value == is[i].value) continue;
      auto before = number_of(was[i].value), now = number_of(is[i].value);
      if (grown || !before || !now || *before <= 1 || !may_count(is[i]) || has_word(is[i].name, kOfWaits)) return {};
      for (int times = 2; times <= kMostTimes && !grown; times++)
        if (nearly(*now, times * *before)) grown = Grown{is[i].name, was[i].value, is[i].value, times};
      if (!grown) return {};
    }
    return grown;
  }

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

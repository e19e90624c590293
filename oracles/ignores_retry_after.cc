// The service said when to come again, or not to come again, and the client came earlier, or all the same: Retry-After
// (RFC 9110 10.2.3), and of gRPC grpc-retry-pushback-ms (gRFC A6). One value cannot tell how far a client obeys: who
// waits 3 s anyway obeys "2" by coincidence.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "oracles/evidence.h"
#include "oracles/registry.h"
#include "oracles/waits.h"

namespace retrial::oracles {
namespace {

constexpr Verdict kIgnoresRetryAfter{
    .name = "ignores-retry-after",
    .severity = Severity::haste,
    .title = "The service's word on when to retry is not kept",
    .why = "The service said when to come back, or not to come, and the client came earlier.",
    .remedy =
        "Wait for as long as Retry-After (HTTP) or grpc-retry-pushback-ms says, and do not retry where the latter is "
        "negative.",
};

// A client may have a limit to what it lets a service tell it. Who does as he is told elsewhere, and waits as long as
// this where he is told more, leaves it room; who waits so long anyway does not listen.
constexpr Nanos kLimit = 20 * kSecond;

// Who comes clearly later than of its own accord listens, up to a limit that it has (or its tests have given it).
constexpr double kClearlyLater = 1.5;
constexpr Nanos kMargin = 20 * kMillisecond;
constexpr Nanos kColdMargin = 150 * kMillisecond;  // of a JVM, whose first gap holds what is loaded and compiled in it
// 17 s that were waited as 17 ms.
constexpr Nanos kTaken = 1000, kTakenWithin = 2 * kMillisecond;
constexpr Nanos kTakenLeast = 15 * kSecond;  // of fewer milliseconds a client's own work takes as many

// Clients' timers round, and ours is another clock's.
Nanos slack(Nanos told) { return std::max(10 * kMillisecond, told / 100); }

// One retry after the service's word.
struct Told {
  const ComparedCase* compared = nullptr;
  const trace::Comparison* comparison = nullptr;
  const trace::Call* call = nullptr;
  Wait wait;
  RetryHint hint;

  Nanos short_of() const { return hint.never ? INT64_MAX : hint.least - wait.most; }
  bool kept() const { return !hint.never && wait.most + slack(hint.least) >= hint.least; }
  bool kept_closely() const { return kept() && wait.most <= 2 * hint.least; }
};

// All of a call site and operation.
struct Obeyed {
  std::vector<Told> all;
  std::map<const trace::Run*, Nanos> unasked = {};  // the longest that it waited there of its own accord

  const Nanos* unasked_beside(const Told& one) const {
    auto it = unasked.find(one.comparison->in_case);
    return it == unasked.end() ? nullptr : &it->second;
  }

  bool listens() const { return std::ranges::any_of(all, &Told::kept_closely); }
  bool taken_for_milliseconds(const Told& one) const {
    auto waited = [&](Nanos length) { return std::abs(one.wait.length() - length) <= kTakenWithin; };
    return !one.hint.never && !one.hint.date && one.hint.least >= kTakenLeast && waited(one.hint.least / kTaken) &&
           !(unasked_beside(one) && waited(*unasked_beside(one)));
  }
  bool obeyed(const Told& one) const {
    return one.kept() || limits(one) || (!one.hint.never && one.wait.most >= kLimit && listens());
  }
  static Nanos margin(const Told& one) {
    return std::ranges::count(one.comparison->in_case->agents, "java") ? kColdMargin : kMargin;
  }
  // Of what was told by turns with nothing in one run, as R1 does it: two runs are two moods, or two set-ups.
  bool limits(const Told& one) const {
    auto* beside = unasked_beside(one);
    return !one.hint.never && beside && !taken_for_milliseconds(one) &&
           static_cast<double>(one.wait.idle) > kClearlyLater * static_cast<double>(*beside) &&
           one.wait.idle > *beside + margin(one);
  }
  // The one that was missed by most; null: none was.
  const Told* worst() const {
    const Told* worst = nullptr;
    for (auto& one : all)
      if (!obeyed(one) && (!worst || one.short_of() > worst->short_of())) worst = &one;
    return worst;
  }
};

// How far a client obeys that does so only in part.
std::string in_part(const Obeyed& seen, const Told& worst) {
  Nanos longest = 0;
  bool seconds = false, date_missed = false, early = true, larger_missed = true;
  for (auto& one : seen.all)
    if (seen.obeyed(one)) longest = std::max(longest, one.hint.least), seconds = seconds || !one.hint.date;
  for (auto& one : seen.all) {
    if (seen.obeyed(one)) continue;
    date_missed = date_missed || one.hint.date;
    early = early && one.wait.most * 10 >= one.hint.least * 7;
    larger_missed = larger_missed && !one.hint.date && one.hint.least > longest && one.wait.most >= longest;
  }
  if (worst.hint.never) return {};
  if (early) return " It comes up to a third early, as one who adds jitter does.";
  if (seen.taken_for_milliseconds(worst)) return " It waits as many milliseconds as it was told seconds.";
  if (longest > 0 && larger_missed)
    return fmt::format(" It waits as long as it is told up to {}, and not where it is told more.",
                       show_duration(longest));
  if (seconds && date_missed && worst.hint.date) return " It obeys seconds, and not a date.";
  return {};
}

class IgnoresRetryAfter final : public Oracle {
 public:
  std::span<const Verdict> verdicts() const override { return {&kIgnoresRetryAfter, 1}; }

  void judge(Cases cases, Judgement& judgement) const override {
    std::map<std::pair<std::string, std::string>, Obeyed> by_call;  // call site and operation
    each_faulted(cases, [&](auto& compared, auto& c, auto& call) {
      auto& seen = by_call[{call.site, call.operation}];
      for (auto& wait : waits_of(c, call, Chosen::by_service))
        if (!went_to_another(*c.in_case, *wait.before, *wait.next))
          seen.all.push_back({&compared, &c, &call, wait, *told_to_wait(*wait.before)});
      for (auto& wait : waits_of(c, call)) {
        auto& longest = seen.unasked[c.in_case];
        longest = std::max(longest, wait.most);
      }
    });
    for (auto& [key, seen] : by_call)
      if (auto* worst = seen.worst()) judgement.findings.push_back(finding(seen, *worst));
  }

 private:
  static trace::Finding finding(const Obeyed& seen, const Told& worst) {
    auto &before = *worst.wait.before, &next = *worst.wait.next;
    // A loop of the application's own may not see what gRPC was told; its library does.
    bool library = !before.grpc.is || next.grpc.previous > before.grpc.previous;
    std::set<const trace::Run*> in;
    for (auto& one : seen.all) in.insert(one.comparison->in_case);
    auto runs = in.size();
    auto missed = std::ranges::count_if(seen.all, [&](auto& one) { return !seen.obeyed(one); });
    return make_finding(
        *worst.compared, *worst.comparison, *worst.call, kIgnoresRetryAfter,
        may_wait_until(*worst.comparison, *worst.call)
            ? trace::Confidence::possible
            : std::min(library ? trace::Confidence::certain : trace::Confidence::likely, worst.call->confidence),
        fmt::format("{} was answered {} with {}, and was sent again after {} ({} of {} such retries{} came too "
                    "early).{}",
                    worst.call->operation, trace::status_of(before, before.client_status), worst.hint.text,
                    show_gap(worst.wait.most), missed, seen.all.size(),
                    runs > 1 ? fmt::format(" in {} runs", runs) : "", in_part(seen, worst)),
        worst.hint.never
            ? "A right client gives up where the service says so: its load is what it wants to shed."
            : "A right client waits at least as long as the service says, or gives up: who comes earlier keeps "
              "it from recovering.");
  }
};

}  // namespace

const Oracle& ignores_retry_after() {
  static const IgnoresRetryAfter oracle;
  return oracle;
}

}  // namespace retrial::oracles

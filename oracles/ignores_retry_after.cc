// The service said when to come again, or not to come again, and the client came earlier, or all the same: Retry-After
// (RFC 9110 10.2.3), and of gRPC grpc-retry-pushback-ms (gRFC A6). One value cannot tell how far a client obeys: who
// waits 3 s anyway obeys "2" by coincidence.
#include <fmt/format.h>

#include <algorithm>
#include <map>

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

// Clients' timers round, and ours is another clock's.
Nanos slack(Nanos told) { return std::max(10 * kMillisecond, told / 100); }

struct Obeyed {
  Wait wait;
  RetryHint told;
  bool yes() const { return !told.never && wait.most + slack(told.least) >= told.least; }
};

struct Seen {
  const ComparedCase* compared = nullptr;
  const trace::Comparison* comparison = nullptr;
  const trace::Call* call = nullptr;
  std::size_t worst = 0;  // of `all`: what the finding shows
  std::vector<Obeyed> all;
};

// How far a client obeys that does so only in part.
std::string in_part(const Seen& seen) {
  Nanos longest = 0;
  bool seconds = false, date_missed = false, early = true, larger_missed = true;
  for (auto& o : seen.all)
    if (o.yes()) longest = std::max(longest, o.told.least), seconds = seconds || !o.told.date;
  for (auto& o : seen.all) {
    if (o.yes()) continue;
    date_missed = date_missed || o.told.date;
    early = early && o.wait.most * 10 >= o.told.least * 7;
    larger_missed = larger_missed && !o.told.date && o.told.least > longest && o.wait.most >= longest;
  }
  if (seen.all[seen.worst].told.never) return {};
  if (early) return " It comes up to a third early, as one who adds jitter does.";
  if (longest > 0 && larger_missed)
    return fmt::format(" It waits as long as it is told up to {}, and not where it is told more.",
                       show_duration(longest));
  if (seconds && date_missed && seen.all[seen.worst].told.date) return " It obeys seconds, and not a date.";
  return {};
}

class IgnoresRetryAfter final : public Oracle {
 public:
  std::span<const Verdict> verdicts() const override { return {&kIgnoresRetryAfter, 1}; }

  void judge(Cases cases, Judgement& judgement) const override {
    std::map<std::pair<std::string, std::string>, Seen> by_call;  // call site and operation
    each_faulted(cases, [&](auto& compared, auto& c, auto& call) {
      for (auto& wait : waits_of(c, call, Chosen::by_service)) {
        auto& seen = by_call[{call.site, call.operation}];
        seen.all.push_back({wait, *told_to_wait(*wait.before)});
        bool worse = !seen.all.back().yes() && (!seen.call || seen.all.back().told.never ||
                                                wait.most - seen.all.back().told.least <
                                                    seen.all[seen.worst].wait.most - seen.all[seen.worst].told.least);
        if (!worse) continue;
        seen.compared = &compared, seen.comparison = &c, seen.call = &call;
        seen.worst = seen.all.size() - 1;
      }
    });
    for (auto& [key, seen] : by_call)
      if (seen.call) judgement.findings.push_back(finding(seen));
  }

 private:
  static trace::Finding finding(const Seen& seen) {
    auto& worst = seen.all[seen.worst];
    auto &before = *worst.wait.before, &next = *worst.wait.next;
    // A loop of the application's own may not see what gRPC was told; its library does.
    bool library = !before.grpc.is || next.grpc.previous > before.grpc.previous;
    auto missed = std::ranges::count_if(seen.all, [](auto& o) { return !o.yes(); });
    return make_finding(
        *seen.compared, *seen.comparison, *seen.call, kIgnoresRetryAfter,
        std::min(library ? trace::Confidence::certain : trace::Confidence::likely, seen.call->confidence),
        fmt::format("{} was answered {} with {}, and was sent again after {} ({} of {} such retries came too "
                    "early).{}",
                    seen.call->operation, trace::status_of(before, before.client_status), worst.told.text,
                    show_gap(worst.wait.most), missed, seen.all.size(), in_part(seen)),
        worst.told.never
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

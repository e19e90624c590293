// Retries without a pause hit a service that is down the harder the more clients it has. One cut-off on one gap would
// be fooled by jitter and by a loaded machine alike, so six gaps are asked for, and the first retry, which many clients
// make at once by design, is left out.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "oracles/evidence.h"
#include "oracles/table.h"
#include "trace/status.h"

namespace retrial::oracles {
namespace {

constexpr std::size_t kGaps = 6;
constexpr Nanos kMedian = 20 * kMillisecond;
constexpr Nanos kLongest = 60 * kMillisecond;
constexpr std::size_t kMostComparisons = 6;  // a client with two retries shows one gap a run

// The gaps of this call that say something of its delay. Some transports send a request twice at once, below the
// client's own retry (gaps 1 ms, 1 s, 1 ms, 1 s): after a broken connection only, which does not count here, and even
// then the first gap left out is such a pair's, so that the median is never one of theirs. What gRPC sends again by
// itself, and a gap that the service chose (pushback), say nothing of the client's delay either.
std::vector<Nanos> telling_gaps(const trace::Call& call) {
  std::vector<Nanos> telling;
  bool first_retry = true;
  for (std::size_t i = 0; i + 1 < call.attempts.size(); i++) {
    auto &before = *call.attempts[i], &next = *call.attempts[i + 1];
    if (!follows(before, next)) return {};
    if (transparent(before)) continue;
    if (std::exchange(first_retry, false) || trace::pushback_told(before) != trace::kNoPushback) continue;
    bool same_host = before.host == next.host && before.service == next.service;
    if (same_host && before.fired && is_status(before.fault)) telling.push_back(next.begun - before.told);
  }
  return telling;
}

class MissingDelay final : public Oracle {
 public:
  std::string_view name() const override { return "missing-delay"; }

  void judge(Cases cases, Opinion& opinion) const override {
    for (auto& exhibit : cases) judge_case(exhibit, opinion);
  }

 private:
  static void judge_case(const Exhibit& exhibit, Opinion& opinion) {
    struct Seen {
      std::vector<Nanos> gaps;
      const trace::Comparison* comparison = nullptr;
      const trace::Call* call = nullptr;  // the one with the most attempts
      trace::Confidence sure = trace::Confidence::certain;
    };
    std::map<std::pair<std::string, std::string>, Seen> by_call;  // call site and operation
    for (auto* c : exhibit.comparisons)
      for (auto* call : c->faulted) {
        auto& seen = by_call[{call->site, call->operation}];
        auto gaps = telling_gaps(*call);
        if (!gaps.empty())
          seen.sure = std::min(seen.sure, call->confidence);  // parallel calls look like retries at once
        seen.gaps.insert(seen.gaps.end(), gaps.begin(), gaps.end());
        if (!seen.call || call->attempts.size() >= seen.call->attempts.size()) seen.call = call, seen.comparison = c;
      }
    for (auto& [key, seen] : by_call) {
      if (seen.gaps.empty()) continue;
      std::sort(seen.gaps.begin(), seen.gaps.end());
      auto middle = seen.gaps[seen.gaps.size() / 2];
      if (middle >= kMedian || seen.gaps.back() >= kLongest) continue;
      if (seen.gaps.size() >= kGaps) {
        opinion.findings.push_back(state(exhibit, *seen.comparison, *seen.call, "missing-delay",
                                         std::min(trace::Confidence::likely, seen.sure),
                                         message(*seen.call, seen.gaps)));
      } else {
        opinion.again = opinion.again || exhibit.comparisons.size() < kMostComparisons;
        opinion.not_judged.push_back(not_judged(
            exhibit, fmt::format("only {} after the first retry in {}: too few to tell a missing delay from jitter",
                                 counted(seen.gaps.size(), "gap"), counted(exhibit.comparisons.size(), "run"))));
      }
    }
  }

  static std::string message(const trace::Call& call, const std::vector<Nanos>& gaps) {
    auto middle = gaps[gaps.size() / 2];
    auto& faulted = *call.attempts.front();
    return fmt::format(
        "{} was sent {} while it was answered {}: {} after the first retry, median {}, longest {}. A service that is "
        "down is "
        "hit again at once, by every client at the same time, when it can bear it least{}.",
        call.operation, counted(call.attempts.size(), "time"),
        trace::show_status(faulted.client_status ? faulted.client_status : call.last().client_status),
        counted(gaps.size(), "gap"), show_gap(middle), show_gap(gaps.back()),
        middle >= 2 * kMillisecond
            ? " (unless the tests shorten the client's delay on purpose: then accept this finding)"
            : "");
  }
};

}  // namespace

const Oracle& missing_delay() {
  static const MissingDelay oracle;
  return oracle;
}

}  // namespace retrial::oracles

// Retries that wait, but each time the same, or around the same: whoever waits as long after the tenth failure as after
// the first keeps up the load that brought the service down. Two gaps look fixed by chance, and a capped back-off is
// fixed at its end, so a call is judged by all of its gaps, and by three at least.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/text.h"
#include "oracles/evidence.h"
#include "oracles/registry.h"
#include "oracles/waits.h"
#include "trace/profiles/profile.h"

namespace retrial::oracles {
namespace {

constexpr Verdict kNoBackoff{
    .name = "no-backoff",
    .severity = Severity::haste,
    .title = "The delay between retries does not grow",
    .why =
        "With a constant delay a service that is overloaded gets no more rest after each failure than after the first.",
    .remedy = "Let the delay grow with each attempt, with jitter (exponential back-off).",
};

constexpr std::size_t kGaps = 3;
constexpr std::size_t kCalls = 2;
constexpr std::size_t kGapsOfOne = 5;                                           // where one call has to do
constexpr Nanos kLeast = 15 * kMillisecond, kLeastMeasured = 5 * kMillisecond;  // what is shorter is missing-delay's
constexpr std::size_t kGapsOfJittered = 10;
constexpr std::size_t kGapsUnderLoad = 30;  // so many show what they stand around, though load lengthens some of them
constexpr double kSpread = 2.2;       // the longest of jittered waits that stand around one value, to the shortest
constexpr double kGrowth = 1.1;       // of the later half of them over the earlier, by chance
constexpr double kFirstOfAll = 0.75;  // who begins below that of the median has grown
// What a gap may hold besides the wait, where the client's clock could not be moved.
Nanos load(const Wait& w) { return std::max(60 * kMillisecond, w.most / 20); }
// Did the client's clock show this wait? Where it was moved on by less than half of what the client was idle for,
// somebody else's work may have kept it from that, and the wait passed in real time.
bool shown(const Wait& w) { return w.measured && (2 * w.least >= w.most || w.most - w.least <= kLeastMeasured); }

// A short wait and a longer one are not told apart where the machine's load is as much as they: then most of the gaps
// have to be near the shortest.
bool alike(const std::vector<Wait>& waits, Nanos shortest) {
  auto near =
      std::ranges::count_if(waits, [&](auto& w) { return w.most <= shortest + shortest / 10 + 5 * kMillisecond; });
  bool told = std::ranges::all_of(waits, [&](auto& w) { return shown(w) || shortest >= 4 * load(w); });
  return told || 2 * near > std::ssize(waits);
}

// The waits of this call were one and the same: there is a length that all of them may have had, and none is longer
// than the shortest gap. 0: there is none.
Nanos fixed(const std::vector<Wait>& waits) {
  Nanos least = 0, most = INT64_MAX, gap = INT64_MAX;
  for (auto& w : waits) {
    gap = std::min(gap, w.gap);
    least = std::max(least, shown(w) ? w.least : w.most - load(w));
    most = std::min(most, shown(w) ? w.gap : w.most);
  }
  // A gap that work fills, in which the clock was moved on by nothing, is work.
  bool known = std::ranges::all_of(waits, shown), waited = known ? least >= kLeastMeasured : most >= kLeast;
  return waited && least <= gap + gap / 50 && alike(waits, most) ? gap : 0;
}

double median(std::vector<Nanos> lengths) {
  auto middle = lengths.begin() + std::ssize(lengths) / 2;
  std::ranges::nth_element(lengths, middle);
  return static_cast<double>(*middle);
}

// They stand around one value and do not grow, however many there are: that value. 0: there is none. Load makes gaps
// longer and none shorter: where they may be no more than it, the shorter three quarters of a long ladder speak.
Nanos jittered(const std::vector<Wait>& waits) {
  std::vector<Nanos> lengths;
  for (auto& w : waits) lengths.push_back(w.length());
  bool loaded = std::ranges::any_of(waits, [](auto& w) { return !w.measured && w.most < 4 * load(w); });
  if (lengths.size() < (loaded ? kGapsUnderLoad : kGapsOfJittered)) return 0;
  auto half = lengths.begin() + std::ssize(lengths) / 2;
  auto typical = [&](auto from, auto to) {
    if (loaded) return median({from, to});
    return std::accumulate(from, to, 0.0) / static_cast<double>(std::distance(from, to));
  };
  double earlier = typical(lengths.begin(), half), later = typical(half, lengths.end());
  auto first = static_cast<double>(lengths.front());
  std::ranges::sort(lengths);
  auto shortest = lengths[loaded ? lengths.size() / 10 : 0],
       longest = loaded ? lengths[lengths.size() * 3 / 4] : lengths.back();
  auto middle = lengths[lengths.size() / 2];
  bool narrow = static_cast<double>(longest) <= kSpread * static_cast<double>(shortest);
  bool grows = later > kGrowth * earlier || first < kFirstOfAll * static_cast<double>(middle);
  return narrow && !grows && shortest >= (loaded ? kLeast : kLeastMeasured) ? middle : 0;
}

// Many clients make the first retry at once by design, and back off from there.
void leave_out_first(std::vector<Wait>& waits) {
  if (waits.size() > 1 && waits[0].retry == 1 && waits[0].length() < waits[1].length() / 4) waits.erase(waits.begin());
}

// Where the client's clock shows most of them, those that it does not are left out: load hid what they were.
void leave_out_unclear(std::vector<Wait>& waits) {
  auto clear = static_cast<std::size_t>(std::ranges::count_if(waits, shown));
  if (clear >= kGapsOfOne && 2 * clear > waits.size()) std::erase_if(waits, [](auto& w) { return !shown(w); });
}

struct ByFault {
  const ComparedCase* compared = nullptr;
  const trace::Comparison* comparison = nullptr;
  const trace::Call* call = nullptr;
  std::size_t calls = 0, gaps = 0;
  Nanos length = 0;
  bool around = false;  // jitter stands around it
  bool grows = false;   // some call of it did
};

// Without faults too it asks until the service is there: its pace is that of whoever waits for a thing, and grows for
// none.
bool waits_for_it(const trace::Comparison& c, const trace::Call& call) {
  auto* usual = counterpart(c, call);
  if (!usual || usual->attempts.size() < 2) return false;
  // It may look at the status alone, and leave.
  if (auto status = usual->attempts.back()->client_status; status < 200 || status >= 400) return false;
  return trace::profile_of(call.first()).repeat(call.first()) == trace::Repeat::safe;
}

// Most of this gap went to other calls, one after another: a worker that comes to each of its jobs in turn, while a
// fault holds them. What it would have waited does not show.
bool went_to_others(const trace::Comparison& c, const trace::Call& call, const Wait& w) {
  auto& all = c.in_case->exchanges;
  Nanos others = 0;
  auto from = std::ranges::lower_bound(all, w.before->told, {}, &trace::Exchange::begun);
  for (auto e = from; e != all.end() && e->begun < w.next->begun; ++e)
    if (e->pid == w.next->pid && e->call != call.first().call && e->told && e->told <= w.next->begun)
      others += e->told - e->begun;
  return 2 * others > w.gap;
}

// Whoever waits for that, however long, waits in vain: retries-permanent-error.
bool will_not_pass(const trace::Exchange& e) {
  return e.client_status >= 400 && e.client_status < 500 && !trace::profile_of(e).transient(e.client_status, {});
}

class NoBackoff final : public Oracle {
 public:
  std::span<const Verdict> verdicts() const override { return {&kNoBackoff, 1}; }

  // By call site, operation and fault: a client may have one policy for a status and another for a broken connection.
  void judge(Cases cases, Judgement& judgement) const override {
    std::map<std::tuple<std::string, std::string, std::string>, ByFault> by_fault;
    each_faulted(cases, [&](auto& compared, auto& c, auto& call) {
      if (waits_for_it(c, call)) return;
      auto waits = waits_of(c, call);
      std::erase_if(waits, [&](auto& w) { return went_to_others(c, call, w); });
      leave_out_first(waits);
      leave_out_unclear(waits);
      if (waits.size() < kGaps || will_not_pass(*waits[0].before)) return;
      auto& seen = by_fault[{call.site, call.operation, trace::show(waits[0].before->fault)}];
      auto length = fixed(waits);
      bool around = length == 0;
      if (around) length = jittered(waits);
      seen.grows = seen.grows || length == 0;
      seen.calls++;
      seen.gaps += waits.size();
      if (seen.call) return;
      seen.compared = &compared, seen.comparison = &c, seen.call = &call, seen.length = length, seen.around = around;
    });
    for (auto& [key, seen] : by_fault) {
      if (seen.grows || !seen.call) continue;
      // Jitter and load can make three of one call look alike.
      bool thin = seen.calls < kCalls && seen.gaps < kGapsOfOne;
      if (thin) judgement.needs_more_runs = judgement.needs_more_runs || seen.compared->comparisons.size() < kCalls;
      auto& to = thin ? judgement.leaning : judgement.findings;
      to.push_back(make_finding(
          *seen.compared, *seen.comparison, *seen.call, kNoBackoff,
          std::min(
              may_wait_until(*seen.comparison, *seen.call) ? trace::Confidence::possible : trace::Confidence::likely,
              seen.call->confidence),
          fmt::format("{} was sent {}, and the client waited {} {} before each retry{} ({} in {}).",
                      seen.call->operation, counted(seen.call->attempts.size(), "time"),
                      seen.around ? "about" : "the same", show_gap(seen.length),
                      seen.around ? ", after the last failure as after the first" : "", counted(seen.gaps, "gap"),
                      counted(seen.calls, "call")),
          "A right client waits longer after each failure (exponential back-off with jitter), so that the load on a "
          "service that is down falls instead of staying what it was."));
    }
  }
};

}  // namespace

const Oracle& no_backoff() {
  static const NoBackoff oracle;
  return oracle;
}

}  // namespace retrial::oracles

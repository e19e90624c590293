// Retries without a pause hit a service that is down the harder the more clients it has. One cut-off on one gap would
// be fooled by jitter and by a loaded machine alike, so several gaps are asked for, and the first retry, which many
// clients make at once by design, is left out.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "oracles/evidence.h"
#include "oracles/known_repeats.h"
#include "oracles/registry.h"
#include "oracles/waits.h"
#include "trace/status.h"

namespace retrial::oracles {
namespace {

constexpr Verdict kMissingDelay{
    .name = "missing-delay",
    .severity = Severity::haste,
    .title = "Retries come without a delay",
    .why = "Retries that follow at once add load to a service that has just said that it cannot take more.",
    .remedy = "Wait between attempts, longer each time and with jitter (exponential back-off).",
};

constexpr std::size_t kGapsUnmeasured = 6;
constexpr std::size_t kMeasured = 4;  // where the client's clock shows what was waited for
// Full jitter over as little as 0 to 50 ms has a third of its waits below this, and seldom three quarters.
constexpr Nanos kMost = 15 * kMillisecond;
constexpr Nanos kMostMeasured = 5 * kMillisecond;  // there a wait that was none is next to nothing
constexpr Nanos kLongest = 60 * kMillisecond;
constexpr Nanos kHides = 80 * kMillisecond;  // work in which a timer runs out unseen
constexpr int kGoodPart = 2;                 // work of half the rest of a gap
constexpr std::size_t kMostComparisons = 6;  // a client with two retries shows one gap a run
constexpr std::size_t kMostUnclear = 3;      // what load hides in so many runs it hides in more

constexpr std::size_t kGrowing = 4;  // gaps of a call that can be said to grow
constexpr double kGrownBy = 2;       // of the later half of them over the earlier: load does not do that

// What the earlier and the later half of calls' gaps are at most, without the one in the middle.
struct Halves {
  Nanos earlier = 0, later = 0;
  void add(std::span<const Wait> of) {
    if (of.size() < kGrowing) return;
    for (auto& w : of.first(of.size() / 2)) earlier += w.most;
    for (auto& w : of.last(of.size() / 2)) later += w.most;
  }
  bool grow() const { return static_cast<double>(later) > kGrownBy * static_cast<double>(earlier); }
};

struct ByStatus {
  std::vector<Wait> waits;
  Halves halves;
  const ComparedCase* compared = nullptr;
  const trace::Comparison* comparison = nullptr;
  const trace::Call* call = nullptr;  // the one with the most attempts
  std::size_t calls = 0;              // that have such waits
  trace::Confidence sure = trace::Confidence::certain;

  void add(const ComparedCase& e, const trace::Comparison& c, const trace::Call& k, std::vector<Wait> telling) {
    calls += !telling.empty();
    if (!telling.empty()) sure = std::min(sure, k.confidence);  // parallel calls look like retries at once
    waits.insert(waits.end(), telling.begin(), telling.end());
    halves.add(telling);
    if (!call || k.attempts.size() >= call->attempts.size()) compared = &e, comparison = &c, call = &k;
  }
};

// The n-th of a hundred, the shortest first.
Nanos centile(std::vector<Nanos> of, std::size_t n) {
  auto at = of.begin() + static_cast<std::ptrdiff_t>((of.size() - 1) * n / 100);
  std::nth_element(of.begin(), at, of.end());
  return *at;
}

// A long gap in which the clock was not moved on: load, or a wait that passed in real time since load kept everybody
// from looking, or the client's own thread was at work on something else in good part of it. In real time, one that
// work filled in good part: a machine that is that busy delays the rest as well. And one in which the thread was at
// work, or waited for a processor, for so long that a timer had run out when it came to look.
bool unclear(const Wait& w) {
  auto work = w.gap - w.most;
  bool at_work = w.worked && ((w.most >= kMost && work >= w.most / kGoodPart) || work >= kHides);
  if (w.measured) return w.least < kMostMeasured && (w.most >= kLongest || at_work);
  return at_work;
}

// Load comes and goes: of that many gaps, in which the client's thread had its processor, one at least is short.
bool surely_waited(const std::vector<Wait>& waits) {
  return waits.size() >= kGapsUnmeasured &&
         std::ranges::all_of(waits, [](auto& w) { return w.measured && w.most >= 2 * kLongest; });
}

std::vector<Nanos> lengths(const std::vector<Wait>& waits) {
  std::vector<Nanos> out;
  for (auto& w : waits) out.push_back(w.length());
  return out;
}

// A clock that could have been moved on may not have been for as long as another thread of the client's was at work,
// one that compiles say. Gaps that grow are a back-off all the same: then a gap is what it was at most.
void take_as_grown(std::vector<Wait>& waits) {
  for (auto& w : waits) w.measured = w.measured && w.most - w.least < kMostMeasured;
}

class MissingDelay final : public Oracle {
 public:
  std::span<const Verdict> verdicts() const override { return {&kMissingDelay, 1}; }

  // By call site, operation and status: one client may wait long on 503 and next to nothing on 500.
  void judge(Cases cases, Judgement& judgement) const override {
    std::map<std::tuple<std::string, std::string, int>, ByStatus> by_status;
    each_faulted(cases, [&](auto& compared, auto& c, auto& call) {
      std::map<int, std::vector<Wait>> telling;
      for (auto& w : waits_of(c, call))
        if (w.before->fired && is_status(w.before->fault) && w.retry > 1 &&
            !went_to_another(*c.in_case, *w.before, *w.next))
          telling[w.before->client_status].push_back(w);
      for (auto& [status, waits] : telling)
        by_status[{call.site, call.operation, status}].add(compared, c, call, waits);
    });
    for (auto& [key, seen] : by_status) judge_status(seen, judgement);
  }

 private:
  static void judge_status(const ByStatus& seen, Judgement& judgement) {
    auto clear = seen.waits;
    std::erase_if(clear, unclear);
    if (clear.size() * 2 < seen.waits.size()) {
      if (surely_waited(seen.waits)) return;
      return say_unclear(seen, clear.size(), judgement);
    }
    if (seen.halves.grow()) take_as_grown(clear);
    auto all = lengths(clear);
    auto longest = centile(all, all.size() > 20 ? 95 : 100);  // of many, some are the machine's load
    auto measured = static_cast<std::size_t>(std::ranges::count_if(clear, &Wait::measured));
    bool known = measured == all.size();
    if (centile(all, 75) >= (known ? kMostMeasured : kMost) || longest >= kLongest) return;
    // No gap is so short that it leaves no room for a fixed wait, which somebody else's work kept the clock from
    // passing.
    if (known && std::ranges::min(clear, {}, &Wait::most).most >= kMost) return say_unclear(seen, 0, judgement);
    auto enough = all.size() >= kGapsUnmeasured || (known && measured >= kMeasured);
    auto& to = enough ? judgement.findings : judgement.leaning;
    to.push_back(make_finding(*seen.compared, *seen.comparison, *seen.call, kMissingDelay,
                              std::min(trace::Confidence::likely, seen.sure), message(seen, known),
                              advice(centile(all, 50))));
    if (enough) return;
    auto runs = ask_for_more(seen, kMostComparisons, judgement);
    judgement.not_judged.push_back(not_judged(
        *seen.compared, *seen.call,
        fmt::format("missing-delay: only {} after the first retry in {}: too few to tell a missing delay from jitter",
                    counted(all.size(), "gap"), counted(runs, "run"))));
  }

  // How many runs there were.
  static std::size_t ask_for_more(const ByStatus& seen, std::size_t most, Judgement& judgement) {
    auto runs = seen.compared->comparisons.size();
    judgement.needs_more_runs = judgement.needs_more_runs || runs < most;
    return runs;
  }

  static void say_unclear(const ByStatus& seen, std::size_t clear, Judgement& judgement) {
    ask_for_more(seen, kMostUnclear, judgement);
    judgement.not_judged.push_back(not_judged(
        *seen.compared, *seen.call,
        fmt::format(
            "missing-delay: {} of {} after the first retry are long, and neither the client's clock nor its "
            "thread's work tells what of them was waited: the machine's load, or waits that nobody had time to see",
            seen.waits.size() - clear, counted(seen.waits.size(), "gap"))));
  }

  static std::string message(const ByStatus& seen, bool known) {
    auto& call = *seen.call;
    std::vector<Nanos> gaps;
    for (auto& w : seen.waits) gaps.push_back(w.most);
    auto status = seen.waits.front().before->client_status;
    auto times = std::ranges::count_if(call.attempts, [&](auto* e) { return e->client_status == status; });
    return fmt::format(
        "{} was sent {} {}: {} after the first retry{}, median {}, longest {}{}{}.", call.operation,
        counted(static_cast<std::size_t>(times), "time"), while_answered(status), counted(gaps.size(), "gap"),
        seen.calls > 1 ? fmt::format(" in {} calls", seen.calls) : "", show_gap(centile(gaps, 50)),
        show_gap(centile(gaps, 100)),
        std::ranges::any_of(seen.waits, &Wait::worked) ? " (without the time in which the client's thread was at work)"
                                                       : "",
        known ? fmt::format(", and no wait of the client's of {} or more was seen in them", show_gap(kMostMeasured))
              : "");
  }
  static std::string advice(Nanos middle) {
    return fmt::format(
        "A right client waits before each retry, longer each time and with jitter: a service that is down is hit again "
        "at once, by every client at the same time, when it can bear it least{}.",
        middle >= 2 * kMillisecond ? " (where the tests shorten the client's delay on purpose, accept this finding)"
                                   : "");
  }
};

}  // namespace

const Oracle& missing_delay() {
  static const MissingDelay oracle;
  return oracle;
}

}  // namespace retrial::oracles

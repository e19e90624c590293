// Nothing is under way any more, and the test does not end. A deadline is never that: who still sends is retrying or
// waiting.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "oracles/client_words.h"
#include "oracles/evidence.h"
#include "oracles/failure.h"
#include "oracles/registry.h"
#include "oracles/time_of_fault.h"

namespace retrial::oracles {
namespace {

constexpr Verdict kHang{
    .name = "hang",
    .severity = Severity::no_end,
    .title = "The program stands still",
    .why = "After the fault nothing was running, sent or awaited, and there was no end.",
    .remedy = "Look for a callback or promise that is not settled on this error.",
};

constexpr Nanos kStill = 60 * kSecond;

class Hang final : public Oracle {
 public:
  std::span<const Verdict> verdicts() const override { return {&kHang, 1}; }

  void judge(Cases cases, Judgement& judgement) const override {
    for (auto& compared : cases) judge_case(compared, judgement);
  }

 private:
  static void judge_case(const ComparedCase& compared, Judgement& judgement) {
    for (auto* c : compared.comparisons) {
      auto& run = *c->in_case;
      auto& call = *c->faulted.front();
      if (of_death(*c) || failed_and_was_over(run, compared.row->test)) continue;  // time-of-fault
      if (run.stop == trace::Stop::hung && was_ended(*c->reference)) {
        judgement.not_judged.push_back(
            not_judged(compared, "it stood still after the fault, and without faults it did not end by itself either"));
      } else if (run.stop == trace::Stop::hung) {
        Nanos last = 0;
        const trace::Exchange* open = nullptr;  // until it was ended: an answer without an end
        for (auto& e : run.exchanges) {
          bool cut = e.ending == trace::Ending::client_left || e.ending == trace::Ending::open;
          if (cut && e.answered != 0 && run.ended - e.told < kStill) open = &e;
          last = std::max({last, e.begun, open == &e ? e.answered : e.told});
        }
        // It was taken to stand still, and went on while it was ended: a wait that nobody could see.
        if (run.ended - last < kStill) {
          judgement.not_judged.push_back(not_judged(compared, "it went on just as it was ended for standing still"));
          continue;
        }
        bool unseen = waits_unseen(run, call.last());
        auto told_to_wait = call.last().fault.retry_after * kSecond;
        if (unseen && run.ended - last < told_to_wait + kStill) {
          judgement.not_judged.push_back(not_judged(
              compared, fmt::format("it was told to come back after {} and may have waited for that: its clock could "
                                    "not be moved on",
                                    show_duration(told_to_wait))));
          continue;
        }
        judgement.findings.push_back(make_finding(
            compared, *c, call, kHang, unseen ? trace::Confidence::possible : trace::Confidence::likely,
            fmt::format("{}: {}, and then nothing more happened for {}: {}, nothing was sent, all processes were idle, "
                        "and {} did not end. {}",
                        call.operation, what_was_done(call, first_fired(call)), show_duration(run.ended - last),
                        open ? fmt::format("nothing came on the answer to {} that was under way", open->operation)
                             : "no exchange was open",
                        compared.row->test.empty() ? "the command" : "the test",
                        unseen ? "Its clock could not be moved on: it waits for something that will never come, or "
                                 "for a longer time than that."
                               : "Its caller waits for something that will never come.")));
      } else if (auto often = asked_in_vain(run, call); !often.empty()) {
        judgement.not_judged.push_back(not_judged(compared, often));
      } else if (run.stop == trace::Stop::deadline && goes_on(run, call)) {
        judgement.not_judged.push_back(not_judged(compared, at_deadline(call, run)));
      } else if (auto failure = failure_of(compared, *c); failure && is_never_settled(text_of(*failure))) {
        // Without a test around it the process might have had other things to wait for, so this is no more than
        // possible.
        judgement.findings.push_back(
            make_finding(compared, *c, call, kHang, trace::Confidence::possible,
                         fmt::format("{}: {}, and the test's promise was never settled: Node ended "
                                     "when nothing was left to wait for. Whoever awaits this call "
                                     "may wait for ever.",
                                     call.operation, what_was_done(call, first_fired(call)))));
      }
    }
  }

  // The run was ended for what another than the faulted call asks again and again.
  static std::string asked_in_vain(const trace::Run& run, const trace::Call& call) {
    if (run.stop != trace::Stop::capped) return {};
    std::map<std::string_view, std::size_t> times;
    for (auto& e : run.exchanges)
      if (!e.fired && e.begun > call.first().begun) times[e.operation]++;
    auto most = std::ranges::max_element(times, {}, [](auto& one) { return one.second; });
    if (most == times.end() || most->first == call.operation || most->second <= call.attempts.size()) return {};
    return fmt::format("the run was ended after {} of {} that nobody ended: what becomes of it is not seen",
                       counted(most->second, "request"), most->first);
  }
  // The process that sent it reads a clock of its own: that it waits for a time is not seen.
  static bool waits_unseen(const trace::Run& run, const trace::Exchange& sent) {
    auto number = fmt::format("[{}]", sent.pid);
    return std::ranges::any_of(run.real_time, [&](auto& process) { return process.contains(number); });
  }
  static bool was_ended(const trace::Run& run) {
    return run.stop == trace::Stop::hung || run.stop == trace::Stop::deadline;
  }
  static std::string at_deadline(const trace::Call& call, const trace::Run& run) {
    auto gaps = trace::gaps(call);
    auto made = fmt::format("the run was ended after {} and {}", show_duration(run.ended - run.began),
                            counted(call.attempts.size(), "attempt"));
    if (gaps.size() >= 2 && gaps.back() > *std::min_element(gaps.begin(), gaps.end()) * 3 / 2)
      return fmt::format("{}: the client is in back-off, its last gap was {}", made, show_gap(gaps.back()));
    return made;
  }
};

}  // namespace

const Oracle& hang() {
  static const Hang oracle;
  return oracle;
}

}  // namespace retrial::oracles

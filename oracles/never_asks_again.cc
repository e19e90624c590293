// A failure that passes, and after it nothing is ever asked again: a circuit breaker that stays open, a flag that
// nobody takes back.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "oracles/evidence.h"
#include "oracles/registry.h"

namespace retrial::oracles {
namespace {

constexpr Verdict kNeverAsksAgain{
    .name = "never-asks-again",
    .severity = Severity::no_end,
    .title = "A service stays cut off",
    .why = "After a failure that passes nothing is asked of it any more, until somebody starts the program anew.",
    .remedy = "Let one request through after a while (half-open), and close the breaker when it is answered.",
};

constexpr Nanos kOpen = 300 * kSecond;
constexpr Nanos kUsual = 3;  // times
constexpr std::ptrdiff_t kTurns = 5;

std::ptrdiff_t sent_of(const std::vector<trace::Call>& calls, const std::string& operation) {
  return std::ranges::count(calls, operation, &trace::Call::operation);
}

// The longest that it is not asked for without faults, at the end too.
Nanos usual_silence(const trace::Run& run, const std::string& operation) {
  Nanos longest = 0, last = 0;
  for (auto& e : run.exchanges) {
    if (e.operation != operation) continue;
    if (last) longest = std::max(longest, e.begun - last);
    last = std::max(e.begun, e.told);
  }
  return std::max(longest, run.ended - last);
}

class NeverAsksAgain final : public Oracle {
 public:
  std::span<const Verdict> verdicts() const override { return {&kNeverAsksAgain, 1}; }

  void judge(Cases cases, Judgement& judgement) const override {
    for (auto& compared : cases)
      for (auto* c : compared.comparisons) judge_one(compared, *c, judgement);
  }

 private:
  static void judge_one(const ComparedCase& compared, const trace::Comparison& c, Judgement& judgement) {
    auto& run = *c.in_case;
    auto& call = *c.faulted.back();
    auto& last = call.last();
    if (run.stop != trace::Stop::exited || trace::recovered(call) || last.told == 0) return;
    auto asks = [&](auto& e) {
      return e.begun > last.told && (e.service == last.service || e.operation == last.operation);
    };
    if (std::ranges::any_of(run.exchanges, asks)) return;
    auto more = sent_of(c.reference_calls, call.operation) - sent_of(c.case_calls, call.operation);
    auto over = test_over(run, last.told);
    auto silence = over - last.told;
    if (more < 1 || silence < std::max(kOpen, kUsual * usual_silence(*c.reference, call.operation))) return;
    auto turns = std::ranges::count_if(run.jumps, [&](auto& jump) { return jump.at > last.told && jump.at < over; });
    if (turns < kTurns) return;  // it may wait for something else
    judgement.findings.push_back(make_finding(
        compared, c, call, kNeverAsksAgain, trace::Confidence::likely,
        fmt::format("{}: {}, and then nothing was asked of {} for {}, though the program went on, and makes {} without "
                    "the fault. Breakers ask again after five minutes at most.",
                    call.operation, what_was_done(call, first_fired(call)), last.service, show_duration(silence),
                    counted(static_cast<std::size_t>(more), "more such call"))));
  }
};

}  // namespace

const Oracle& never_asks_again() {
  static const NeverAsksAgain oracle;
  return oracle;
}

}  // namespace retrial::oracles

// Nothing is under way any more, and the test does not end. A deadline is never that: who still sends is retrying or
// waiting.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "oracles/evidence.h"
#include "oracles/failure.h"
#include "oracles/fault_words.h"
#include "oracles/table.h"

namespace retrial::oracles {
namespace {

class Hang final : public Oracle {
 public:
  std::string_view name() const override { return "hang"; }

  void judge(Cases cases, Opinion& opinion) const override {
    for (auto& exhibit : cases) judge_case(exhibit, opinion);
  }

 private:
  static void judge_case(const Exhibit& exhibit, Opinion& opinion) {
    for (auto* c : exhibit.comparisons) {
      auto& run = *c->in_case;
      auto& call = *c->faulted.front();
      if (run.stop == trace::Stop::hung) {
        Nanos last = 0;
        for (auto& e : run.exchanges) last = std::max({last, e.told, e.begun});
        opinion.findings.push_back(state(
            exhibit, *c, call, "hang", trace::Confidence::likely,
            fmt::format("{}: {}, and then nothing more happened for {}: no exchange was open, nothing was sent, all "
                        "processes were idle, and the "
                        "test did not end. Its caller waits for something that will never come.",
                        call.operation, what_was_done(call, first_fired(call)), show_duration(run.ended - last))));
      } else if (run.stop == trace::Stop::deadline) {
        opinion.not_judged.push_back(not_judged(exhibit, at_deadline(call, run)));
      } else if (auto failure = failure_of(exhibit, *c); failure && is_never_settled(text_of(*failure))) {
        // Without a test around it the process might have had other things to wait for, so this is no more than
        // possible.
        opinion.findings.push_back(state(exhibit, *c, call, "hang", trace::Confidence::possible,
                                         fmt::format("{}: {}, and the test's promise was never settled: Node ended "
                                                     "when nothing was left to wait for. Whoever awaits this call "
                                                     "may wait for ever.",
                                                     call.operation, what_was_done(call, first_fired(call)))));
      }
    }
  }

  static std::string at_deadline(const trace::Call& call, const trace::Run& run) {
    auto gaps = trace::gaps(call);
    auto made = fmt::format("the run reached its time limit of {} after {}", show_duration(run.ended - run.began),
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

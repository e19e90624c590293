// Who asks again, a retry or the next test, is answered with the error that was kept of the first attempt (a rejected
// promise in a map, a cached error), so that a failure that passes stays.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "oracles/evidence.h"
#include "oracles/failure.h"
#include "oracles/kept_for_next.h"
#include "oracles/members.h"
#include "oracles/registry.h"

namespace retrial::oracles {
namespace {

constexpr Verdict kKeptFailure{
    .name = "kept-failure",
    .severity = Severity::wrong_error,
    .of_caller = true,
    .title = "Who asks again gets a failure that was kept, and nobody asks the service",
    .why = "What is asked for again answers with the error of the first attempt: an error that passes stays.",
    .remedy = "Take what failed out of the cache before it is asked for again: keep only what went well.",
};

constexpr std::size_t kWaits = 2;    // one may be for something else
constexpr std::size_t kGrowing = 3;  // waits that are a back-off's, whatever it is called
constexpr double kGrowth = 1.2;      // of each to the one before, at least
constexpr std::size_t kMost = 12;    // waits of one retry
constexpr double kJitter = 0.5;      // of the second to the first, at least
constexpr std::array<std::string_view, 8> kRetry{"retry",   "retries", "retrying",  "retryable",
                                                 "retrier", "backoff", "resilient", "tenacity"};

// "src/retry.js:21 withRetry" of its chain, or "p-retry 6.2.0" of its libraries; empty: nothing says that it tries
// again.
std::string retry_around(const trace::Exchange& e, const std::string& test) {
  for (auto& frame : trace::frames_of(*e.tag.site))
    if (has_word(frame.function, kRetry) && !in_tests(frame.file, test)) return trace::show(frame);
  auto of_library = percent_decode(e.tag.libraries);
  for (auto part : split(of_library, ','))
    if (auto name = part.substr(part.find(':') + 1); has_word(name, kRetry)) return std::string(name);
  return {};
}

// Waits of the client between this failure and whatever was sent next. Those of the teardown are of somebody else.
std::vector<Nanos> waits_after(const trace::Run& run, const trace::Exchange& failed) {
  auto end = test_over(run, failed.told);
  for (auto& e : run.exchanges)
    if (e.begun > failed.told) end = std::min(end, e.begun);
  std::vector<Nanos> waits;
  for (auto& jump : run.jumps)
    if (jump.at >= failed.told && jump.at < end) waits.push_back(jump.by);
  return waits;
}

// Is each of the first of them so many times as long as the one before, at least?
bool grow(const std::vector<Nanos>& waits, std::size_t first, double times) {
  if (waits.size() < first) return false;
  for (std::size_t i = 1; i < first; i++)
    if (static_cast<double>(waits[i]) < times * static_cast<double>(waits[i - 1])) return false;
  return true;
}
// A retry's come to an end, and do not become shorter at once: those are of others in the process.
bool may_be_of_retry(const std::vector<Nanos>& waits) { return waits.size() <= kMost && grow(waits, kWaits, kJitter); }

class KeptFailure final : public Oracle {
 public:
  std::span<const Verdict> verdicts() const override { return {&kKeptFailure, 1}; }

  void judge(Cases cases, Judgement& judgement) const override {
    each_faulted(cases, [&](auto& compared, auto& c, auto& call) { judge_call(compared, c, call, judgement); });
  }

 private:
  static void judge_next(const ComparedCase& compared, const trace::Comparison& c, const trace::Call& call,
                         Judgement& judgement) {
    auto kept = kept_for_next(compared, c, call);
    if (!kept) return;
    judgement.findings.push_back(make_finding(
        compared, c, call, kKeptFailure,
        std::min(kept->rested ? trace::Confidence::likely : trace::Confidence::possible, call.confidence),
        fmt::format("{}: {}, and the test failed with {}. {}, executed after it in the same process{} and without any "
                    "fault, asked nobody for it, and failed with the very same error; else both pass.",
                    call.operation, what_was_done(call, first_fired(call)), kept->error,
                    kept->test.empty() ? "The same test" : "The test " + kept->test,
                    kept->rested ? " ten minutes later" : ""),
        "A right client keeps no failure: who asks next asks the service."));
  }

  static void judge_call(const ComparedCase& compared, const trace::Comparison& c, const trace::Call& call,
                         Judgement& judgement) {
    judge_next(compared, c, call, judgement);
    auto& failed = call.last();
    bool once = call.attempts.size() == 1 && failed.fired && failed.told && failed.tag.site && may_pass(failed);
    if (!once || may_be_unseen(c, failed) || in_tests(failed.tag.site->file, compared.row->test)) return;
    bool asked_later = std::ranges::any_of(c.in_case->exchanges, [&](auto& e) {
      return e.begun >= failed.told && e.pid == failed.pid && e.operation == failed.operation;
    });
    if (asked_later) return;
    auto retry = retry_around(failed, compared.row->test);
    auto failure = failure_of(compared, c);
    // It is this error that comes out at last, and not a breaker's or another.
    if (!failure || !failure->outermost() || is_assertion(*failure->outermost())) return;
    auto text = text_of(*failure);
    if (!shows_fault(c, text) || icontains(text, "circuit") || icontains(text, "breaker")) return;
    auto waits = waits_after(*c.in_case, failed);
    if (!may_be_of_retry(waits) || (retry.empty() && !grow(waits, kGrowing, kGrowth))) return;
    std::vector<std::string> shown;
    for (auto wait : waits) shown.push_back(show_gap(wait));
    constexpr std::size_t kShown = 4;
    if (shown.size() > kShown) shown.resize(kShown), shown.push_back("...");
    judgement.findings.push_back(make_finding(
        compared, c, call, kKeptFailure, std::min(trace::Confidence::likely, call.confidence),
        fmt::format("{}: {}. {} then waited {} times ({}), as a retry does, and nothing was sent: what it tries again "
                    "answered with the error of the first attempt, with which the {} failed.",
                    call.operation, what_was_done(call, 0), retry.empty() ? "Its client" : retry, waits.size(),
                    fmt::join(shown, ", "), compared.row->test.empty() ? "command" : "test"),
        "A right client keeps no failure: the next attempt asks the service."));
  }
};

}  // namespace

const Oracle& kept_failure() {
  static const KeptFailure oracle;
  return oracle;
}

}  // namespace retrial::oracles

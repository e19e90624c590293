// The process ended by a signal, or the runner itself broke before the test had a result.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include "oracles/evidence.h"
#include "oracles/registry.h"
#include "oracles/time_of_fault.h"

namespace retrial::oracles {
namespace {

constexpr Verdict kCrash{
    .name = "crash",
    .severity = Severity::wrong_error,
    .of_outcome = true,
    .title = "The process died",
    .why = "A fault of the network ended the process, and not only the call.",
    .remedy = "Handle the error where the call is made.",
};

// These come from outside the program (a person, the kernel short of memory), and say nothing of it.
bool from_outside(int signal) {
  return signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP || signal == SIGQUIT ||
         signal == SIGXCPU;
}

// A shell tells a signal of its child by an exit status of 128 and more.
int signal_of(const trace::Run& run) {
  if (run.stop == trace::Stop::signalled) return run.exit_code;
  return run.exit_code > 128 && run.exit_code < 128 + 32 ? run.exit_code - 128 : 0;
}

class Crash final : public Oracle {
 public:
  std::span<const Verdict> verdicts() const override { return {&kCrash, 1}; }

  void judge(Cases cases, Judgement& judgement) const override {
    for (auto& compared : cases) judge_case(compared, judgement);
  }

 private:
  static void judge_case(const ComparedCase& compared, Judgement& judgement) {
    for (auto* c : compared.comparisons) judge_run(compared, *c, judgement);
  }

  // Node.js throws it where it is emitted, into whoever emits: no caller is told (its documentation, "Error events").
  static bool nobody_listened(const trace::TestResult& result) {
    return std::ranges::any_of(result.chain, [](auto& t) {
      return t.code == "ERR_UNHANDLED_ERROR" || t.message.starts_with("Unhandled error. (");
    });
  }

  static void judge_run(const ComparedCase& compared, const trace::Comparison& c, Judgement& judgement) {
    auto& run = *c.in_case;
    if (run.stop != trace::Stop::signalled && run.stop != trace::Stop::exited) return;
    auto pass_over = [&](std::string why) { judgement.not_judged.push_back(not_judged(compared, std::move(why))); };
    auto& call = *c.faulted.front();
    auto done = fmt::format("{}: {}", call.operation, what_was_done(call, first_fired(call)));
    bool told = result_of(run, compared.row->test) ||
                std::any_of(run.results.begin(), run.results.end(), [](auto& r) { return bad(r); });
    auto *result = result_of(run, compared.row->test), *before = result_of(*c.reference, compared.row->test);
    if (result && bad(*result) && nobody_listened(*result) && before && !bad(*before)) {
      judgement.findings.push_back(make_finding(
          compared, c, call, kCrash, std::min(trace::Confidence::likely, call.confidence),
          fmt::format(
              "{}, and an \"error\" event came of it to which nobody listened: where no test runner catches it, "
              "it ends the process, and whoever waits for the call is never told.",
              done),
          "A right client rejects the promise, or calls back, that its caller has; or its caller listens."));
      return;
    }
    if (int signal = signal_of(run); signal && (run.stop == trace::Stop::signalled || !told)) {
      if (of_death(c) && from_outside(signal))
        return pass_over("what was ended is the command itself: nobody is left to bear that");
      if (from_outside(signal))
        return pass_over(fmt::format("the test process was ended by a signal from outside ({})", strsignal(signal)));
      judgement.findings.push_back(make_finding(
          compared, c, call, kCrash, trace::Confidence::certain,
          fmt::format(
              "{}, and the test process died by signal {} ({}). A fault of the network must never end the process.",
              done, signal, strsignal(signal))));
      return;
    }
    if (run.exit_code == 0 || told) return;
    if (!run.broken.empty())
      return pass_over(fmt::format("a test file could not be loaded: {}", shorten(run.broken.front(), 160)));
    if (!result_of(*c.reference, compared.row->test)) return;  // a runner that tells no results
    judgement.findings.push_back(make_finding(
        compared, c, call, kCrash, trace::Confidence::likely,
        fmt::format("{}, and the runner ended with status {} before the test had a result. A fault of the network must "
                    "never end the process.",
                    done, run.exit_code)));
  }
};

}  // namespace

const Oracle& crash() {
  static const Crash oracle;
  return oracle;
}

}  // namespace retrial::oracles

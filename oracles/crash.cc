// The process ended by a signal, or the runner itself broke before the test had a result.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include "oracles/evidence.h"
#include "oracles/table.h"

namespace retrial::oracles {
namespace {

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
  std::string_view name() const override { return "crash"; }

  void judge(Cases cases, Opinion& opinion) const override {
    for (auto& exhibit : cases) judge_case(exhibit, opinion);
  }

 private:
  static void judge_case(const Exhibit& exhibit, Opinion& opinion) {
    for (auto* c : exhibit.comparisons) judge_run(exhibit, *c, opinion);
  }

  static void judge_run(const Exhibit& exhibit, const trace::Comparison& c, Opinion& opinion) {
    auto& run = *c.in_case;
    if (run.stop != trace::Stop::signalled && run.stop != trace::Stop::exited) return;
    auto pass_over = [&](std::string why) { opinion.not_judged.push_back(not_judged(exhibit, std::move(why))); };
    auto& call = *c.faulted.front();
    auto done = fmt::format("{}: {}", call.operation, what_was_done(call, first_fired(call)));
    bool told = result_of(run, exhibit.row->test) ||
                std::any_of(run.results.begin(), run.results.end(), [](auto& r) { return bad(r); });
    if (int signal = signal_of(run); signal && (run.stop == trace::Stop::signalled || !told)) {
      if (from_outside(signal))
        return pass_over(fmt::format("the test process was ended by a signal from outside ({})", strsignal(signal)));
      opinion.findings.push_back(state(
          exhibit, c, call, "crash", trace::Confidence::certain,
          fmt::format(
              "{}, and the test process died by signal {} ({}). A fault of the network must never end the process.",
              done, signal, strsignal(signal))));
      return;
    }
    if (run.exit_code == 0 || told) return;
    if (!run.broken.empty())
      return pass_over(fmt::format("a test file could not be loaded: {}", shorten(run.broken.front(), 160)));
    if (!result_of(*c.reference, exhibit.row->test)) return;  // a runner that tells no results
    opinion.findings.push_back(state(
        exhibit, c, call, "crash", trace::Confidence::likely,
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

// A process died at a moment at which it had done the half of something, or before it did what another waits for; and
// that was not borne. FCatch (Liu et al., ASPLOS 2018).
#include "oracles/time_of_fault.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "base/text.h"
#include "oracles/client_words.h"
#include "oracles/evidence.h"
#include "oracles/failure.h"
#include "oracles/registry.h"
#include "oracles/turn.h"
#include "predict/death.h"
#include "predict/touch.h"

namespace retrial::oracles {
namespace {

using predict::Death;
using predict::Kind;
using trace::Call;
using trace::Comparison;
using trace::Confidence;
using trace::Exchange;

constexpr Verdict kTimeOfFault{
    .name = "time-of-fault",
    .severity = Severity::wrong_effect,
    .of_outcome = true,
    .title = "A process died at the wrong moment, and that was not borne",
    .why = "What it leaves half done is taken for whole by whoever comes after it, or somebody waits for it for ever.",
    .remedy =
        "Write last what says that the rest is there; let locks and claims be known again by their holder, or run "
        "out; wait no longer than for a time.",
};

constexpr std::string_view kPolicy = "TOF";
constexpr Nanos kLongestWait = 310 * kSecond;
constexpr std::size_t kOften = 1000;  // questions with one answer, of somebody who may have no time-out

// The same request again and again, to the run's end, and always answered alike.
struct Asking {
  const Exchange* last = nullptr;
  std::size_t times = 0;
  Nanos time = 0;
};
// Of several that of a process that came after the fault, which waits for what the dead had promised; else the longest.
std::optional<Asking> asking_at_end(const trace::Run& run, Nanos from) {
  std::set<int> before;
  for (auto& e : run.exchanges)
    if (e.begun <= from) before.insert(e.pid);
  std::map<std::string, std::vector<const Exchange*>> by_question;
  for (auto& e : run.exchanges)
    if (e.begun > from && e.answered != 0 && e.ending == trace::Ending::answered)  // not what the run's end has cut
      by_question[fmt::format("{}\n{}\n{}", e.pid, predict::origin_of(e), e.target)].push_back(&e);
  std::optional<Asking> longest;
  auto rank = [&](const Asking& wait) {
    bool long_enough = wait.time >= kLongestWait || wait.times >= kOften;
    return std::tuple(long_enough, !before.contains(wait.last->pid), wait.time);
  };
  for (auto& [question, all] : by_question) {
    std::ranges::stable_sort(all, {}, &Exchange::begun);
    Asking wait{all.back(), 0, 0};
    for (auto it = all.rbegin(); it != all.rend(); ++it) {
      if ((*it)->service_status != wait.last->service_status || (*it)->response_sample != wait.last->response_sample)
        break;
      wait.times++;
      wait.time = wait.last->begun - (*it)->begun;
    }
    if (wait.times > 1 && (!longest || rank(wait) > rank(*longest))) longest = wait;
  }
  return longest;
}

// Errors that say that something was missing, in the way or another's, to whoever came after the dead and on what it
// had written.
std::vector<const Exchange*> errors_after(const Comparison& c, const Death& death) {
  std::vector<const Exchange*> errors;
  for (auto* e : death.recovery) {
    bool says = e->service_status == 404 || e->service_status == 409 || e->service_status == 410 ||
                e->service_status == 412 || e->service_status == 423;
    if (!says || !delivered(*e)) continue;
    bool known = std::ranges::any_of(c.reference->exchanges, [&](auto& r) {
      return r.operation == e->operation && r.service_status == e->service_status;
    });
    if (!known) errors.push_back(e);
  }
  return errors;
}

// What the dead had taken hold of, and nobody has given back or ended, as somebody does without the fault: what it was
// taken by.
std::vector<const Exchange*> never_done(const Comparison& c, const Death& death) {
  auto closes = [](const trace::Run& run, const std::string& path, Nanos from) {
    return std::ranges::any_of(run.exchanges, [&](auto& e) {
      auto t = predict::touch_of(e);
      return t.path == path && e.begun >= from && (t.kind == Kind::end || t.kind == Kind::release) &&
             trace::carried_out(e);
    });
  };
  std::vector<const Exchange*> left;
  for (auto* e : death.before) {
    auto taken = predict::touch_of(*e);
    if (taken.kind != Kind::lease) continue;
    if (closes(*c.reference, taken.path, 0) && !closes(*c.in_case, taken.path, e->begun)) left.push_back(e);
  }
  return left;
}

std::string list_of(const std::vector<const Exchange*>& errors) {
  std::string text;
  for (auto* e : errors)
    text += fmt::format("{}{} was answered {}", text.empty() ? "" : ", ", named_at(*e), show_error(*e));
  return text;
}

class TimeOfFault final : public Oracle {
 public:
  std::span<const Verdict> verdicts() const override { return {&kTimeOfFault, 1}; }

  void judge(Cases cases, Judgement& judgement) const override {
    for (auto& compared : cases)
      for (auto* c : compared.comparisons)
        if (of_death(*c) || compared.row->policy == kPolicy) judge_run(compared, *c, judgement);
  }

 private:
  static void judge_run(const ComparedCase& compared, const Comparison& c, Judgement& judgement) {
    auto& run = *c.in_case;
    auto& call = *c.faulted.front();
    auto pass_over = [&](std::string why) {
      judgement.not_judged.push_back(not_judged(compared, call, std::move(why)));
    };
    auto done = fmt::format("{}: {}", call.operation, what_was_done(call, first_fired(call)));
    auto& at = *call.attempts[first_fired(call)];
    auto find = [&](Confidence sure, const std::string& message, const Exchange* after = nullptr) {
      auto f = make_finding(compared, c, call, kTimeOfFault, sure, message);
      if (after) f.evidence.push_back(after->id);
      judgement.findings.push_back(std::move(f));
    };
    bool stood_still = run.stop == trace::Stop::hung, asked_on = run.stop == trace::Stop::deadline;
    if ((stood_still || asked_on) && c.reference->stop != trace::Stop::exited)
      return pass_over("the test did not end by itself without faults either");
    if (stood_still) {
      if (failed_and_was_over(run, compared.row->test)) return;
      return find(Confidence::likely,
                  done +
                      ", and then nothing more happened: no exchange was open, nothing was sent, all processes were "
                      "idle, and the test did not end. Somebody waits for what will never come.");
    }
    if (asked_on || (of_death(c) && run.stop == trace::Stop::capped)) return judge_wait(done, run, at, find, pass_over);
    if (!of_death(c)) return;
    auto death = predict::death_in(*c.reference, run);
    if (!death.at) return;
    auto failure = failure_of(compared, c);
    auto left = never_done(c, death);
    if (!failure && left.empty()) return;
    if (death.recovery.empty())
      return pass_over("nobody came after the process that was ended: what is missing says nothing of the moment");
    if (failure && is_time_limit(text_of(*failure))) return pass_over("the runner's own time limit ended the test");
    if (failure && !died_once(compared))
      return pass_over("the test failed, and it is not known that the same death is borne at another moment");
    auto errors = errors_after(c, death);
    std::string came = list_of(errors);
    for (auto* e : left)
      came += fmt::format("{}what {} took was never given back or done, as it is without the fault",
                          came.empty() ? "" : ", ", named_at(*e));
    if (failure)
      came += fmt::format("{}the test ended with {}", came.empty() ? "" : ", and ",
                          failure->outermost() ? named(*failure->outermost()) : "a failure");
    find(Confidence::likely, fmt::format("{}. {}{}.", done, after(compared, death), came), death.recovery.front());
  }

  // A campaign asks so only of a process whose death at another moment was borne.
  static bool died_once(const ComparedCase& compared) {
    return compared.row->policy == kPolicy && compared.row->plan.ends_with("then pass");
  }
  static std::string after(const ComparedCase& compared, const Death& death) {
    auto who = death.successors.empty() ? fmt::format("Process {} came after it", death.recovery.front()->pid)
                                        : fmt::format("Process {} took its place", death.successors.front()->pid);
    if (died_once(compared)) who += ", as it does where the same death at another moment is borne";
    return who + "; but ";
  }

  static void judge_wait(const std::string& done, const trace::Run& run, const Exchange& at, auto& find,
                         auto& pass_over) {
    auto wait = asking_at_end(run, at.fired_at);
    if (!wait) return pass_over("it went on to its time limit, and nobody asked for the same thing again and again");
    auto asked = fmt::format("{} was sent {} times over {}, each time answered {}", named_at(*wait->last), wait->times,
                             show_duration(wait->time), show_answer(wait->last->service_status));
    // Who asks so often that the run was ended for it, or by its own limit on a busy machine, has been looked at for a
    // shorter time.
    bool cut = wait->times >= kOften && (run.stop == trace::Stop::capped || wait->time < kLongestWait);
    if (wait->time < kLongestWait && !cut)
      return pass_over(fmt::format("{}: a time-out longer than that would look the same", asked));
    find(cut ? Confidence::possible : Confidence::likely,
         fmt::format("{}, and then {}: who waits there has no time-out, and nobody else ends its wait.", done, asked),
         wait->last);
  }
};

}  // namespace

bool of_death(const Comparison& c) {
  return !c.faulted.empty() && std::ranges::any_of(c.faulted.front()->attempts,
                                                   [](auto* e) { return e->fired && trace::ends_sender(e->fault); });
}

const Oracle& time_of_fault() {
  static const TimeOfFault oracle;
  return oracle;
}

}  // namespace retrial::oracles

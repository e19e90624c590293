// Retries without an end. Caps of client libraries reach 121 attempts or 21 minutes, so that more than 150 attempts, or
// half an hour of the client's time, say something. Those that an application chooses go further (eight attempts over a
// day, two minutes of one each half a second): only 1,000 attempts or 48 hours make it likely. A client that was still
// retrying when its run was cut is a note.
#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "base/text.h"
#include "oracles/client_words.h"
#include "oracles/evidence.h"
#include "oracles/failure.h"
#include "oracles/ledger.h"
#include "oracles/registry.h"
#include "oracles/waits.h"
#include "trace/comparing/retry_layers.h"
#include "trace/status.h"

namespace retrial::oracles {
namespace {

constexpr Verdict kCapVerdicts[] = {
    {
        .name = "missing-cap",
        .severity = Severity::no_end,
        .title = "Retries go on without end",
        .why = "A call that never gives up holds its caller, and keeps its load on a service that is down.",
        .remedy = "Limit the attempts, or the time that they may take together.",
    },
    {
        .name = "cap-not-seen",
        .severity = Severity::information,
        .title = "The limit of the retries was not reached",
        .why = "The client was still retrying when the case ended.",
        .remedy = "See that there is a limit, and that it is one that a caller can wait for.",
    },
};
constexpr const Verdict &kMissingCap = kCapVerdicts[0], &kCapNotSeen = kCapVerdicts[1];

constexpr int kAttempts = 150, kManyAttempts = 1000;
constexpr int kResent = 100;  // of those that are looked at, by a transport below: they are not the client's own
constexpr Nanos kPace = 100 * kMillisecond;  // who polls looks no more often
constexpr Nanos kLooks = 60 * kSecond;  // who waits until something is ready may do so for that long, however often
constexpr Nanos kTime = 30 * 60 * kSecond, kLongTime = 48 * 3600 * kSecond;
constexpr Horizon kNear{kAttempts, kTime}, kFar{kManyAttempts, kLongTime};

// Attempts as the client makes them: without those that a transport below sent again by itself.
std::size_t own_attempts(const trace::Call& call) {
  auto resent = trace::resent_by_transport(call);
  return static_cast<std::size_t>(std::ranges::count(resent, false));
}

// How long the client went on by its own choice: what the service told it to wait is not the client's.
Nanos own_time(const trace::Comparison& c, const trace::Call& call) {
  auto time = call.last().begun - call.first().begun;
  for (auto& wait : waits_of(c, call, Chosen::by_service)) time -= wait.most;
  return time;
}

class MissingCap final : public Oracle {
 public:
  std::span<const Verdict> verdicts() const override { return kCapVerdicts; }
  Horizons horizons() const override {
    // The first and the last attempt that are seen are so far apart then, for sure.
    return {kNear, {kManyAttempts + kResent, kLongTime, kLooks + kSecond}};
  }

  void judge(Cases cases, Judgement& judgement) const override {
    for (auto& compared : cases) judge_case(compared, judgement);
  }

 private:
  static void judge_case(const ComparedCase& compared, Judgement& judgement) {
    for (auto* c : compared.comparisons)
      for (auto* call : c->faulted) {
        auto attempts = own_attempts(*call);
        auto took = call->last().begun - call->first().begun;
        // In company the fault is lifted there, and what goes well then is no end of the client's own.
        bool in_vain = call->last().fired || c->in_case->case_id.empty();
        auto beyond = [&](const Horizon& horizon) {
          return attempts > static_cast<std::size_t>(horizon.attempts) ||
                 (attempts > 2 && own_time(*c, *call) >= horizon.client_time && in_vain);
        };
        bool surely = beyond(kFar) || (beyond(kNear) && c->in_case->stop == trace::Stop::capped &&
                                       together(*c, *call) > static_cast<std::size_t>(kFar.attempts));
        if (surely || (beyond(kNear) && !gave_up(compared, *c, *call))) {
          judgement.findings.push_back(make_finding(
              compared, *c, *call, kMissingCap,
              std::min(surely ? trace::Confidence::likely : trace::Confidence::possible, call->confidence),
              fmt::format("{} was sent {} in {} of the client's time, and there was no end in sight{}.",
                          call->operation, counted(attempts, "time"), show_duration(took),
                          c->in_case->stop == trace::Stop::capped
                              ? " when Retrial ended the run: it looks at a call for no longer"
                              : ""),
              "A right client gives up after some attempts or some time, and tells its caller: one that never "
              "does keeps the caller waiting and the service under load for as long as the fault lasts."));
        } else if (auto since = in_vain_since(*c, *call); since > kAttempts) {
          judgement.findings.push_back(make_finding(
              compared, *c, *call, kMissingCap, std::min(trace::Confidence::likely, call->confidence),
              fmt::format(
                  "{}: {}, and the client has sent the same request more than {} since, answered with an error by "
                  "the service itself each time; there was no end in sight when Retrial ended the run.",
                  call->operation, what_was_done(*call, first_fired(*call)), counted(kAttempts, "time")),
              "A right client gives up after some attempts or some time, and tells its caller: the error is the "
              "service's own now, and will not pass by itself."));
        } else if (auto refused = refused_anew(*c, *call); refused.times > kAttempts) {
          judgement.findings.push_back(make_finding(
              compared, *c, *call, kMissingCap,
              std::min(refused.may_wait ? trace::Confidence::possible : trace::Confidence::likely, call->confidence),
              fmt::format(
                  "{}: {}, and the same was sent {} in {} of the client's time, as calls of their own, with no other "
                  "outcome.",
                  call->operation, what_was_done(*call, first_fired(*call)),
                  counted(static_cast<std::size_t>(refused.times), "time"), show_duration(refused.within)),
              call->first().client_status == 401 ||
                      call->first().client_status == trace::kGrpcStatus + trace::grpc_code::unauthenticated
                  ? "A right client asks for new credentials once, and takes what it is told then for the answer."
                  : "A right client asks a limited number of times, or for a limited time, and takes what it is told "
                    "then for the answer."));
        } else if (was_cut(compared, *c) && call->attempts.size() > 1 && call->last().fired &&
                   goes_on(*c->in_case, *call)) {
          auto note = make_finding(
              compared, *c, *call, kCapNotSeen, trace::Confidence::certain,
              fmt::format("{}: cap-not-seen within {} / {}: the client was still retrying when the run ended.",
                          call->operation, counted(call->attempts.size(), "attempt"), show_duration(took)));
          judgement.notes.push_back(std::move(note));
        }
      }
  }

  // The same request, sent once more and once more after the fault has passed, as calls of their own, until the run was
  // ended.
  static int in_vain_since(const trace::Comparison& c, const trace::Call& call) {
    if (c.in_case->stop != trace::Stop::capped) return 0;
    return static_cast<int>(std::ranges::count_if(c.in_case->exchanges, [&](auto& e) {
      return e.begun >= call.first().told && !e.fired && e.client_status >= 400 && e.pid == call.first().pid &&
             same_request(e, call.first());
    }));
  }

  // The same request as calls of their own, each met by the fault: refused, or looked at until the run was ended, as a
  // poll may that takes every error for "not yet", or more often than a poll looks. Told of the first of them.
  struct Refused {
    int times = 0;
    Nanos within = 0;
    bool may_wait = false;  // looks as the reference has them, for no longer than who is right may take
  };
  static Refused refused_anew(const trace::Comparison& c, const trace::Call& call) {
    auto failed = [&](const trace::Exchange& e) {
      return e.fired && trace::told_failed(e) && e.pid == call.first().pid && same_request(e, call.first());
    };
    if (!failed(call.first()) || &*std::ranges::find_if(c.in_case->exchanges, failed) != &call.first()) return {};
    auto times = static_cast<int>(std::ranges::count_if(c.in_case->exchanges, failed));
    auto last = std::ranges::find_if(c.in_case->exchanges | std::views::reverse, failed);
    bool ended = c.in_case->stop == trace::Stop::capped;
    auto within = last->begun - call.first().begun;
    // Who was still asking when it went well again had no end in sight; who stopped before has one.
    bool went_on = std::ranges::any_of(c.in_case->exchanges, [&](auto& e) {
      return e.begun > last->begun && !e.fired && e.pid == last->pid && same_request(e, call.first());
    });
    bool hurried = within < times * kPace && went_on;
    bool refused = trace::is_grpc(call.first().client_status)
                       ? call.first().client_status == trace::kGrpcStatus + trace::grpc_code::unauthenticated
                       : call.first().client_status >= 400 && call.first().client_status < 500;
    bool looks = std::ranges::count_if(c.reference->exchanges, [&](auto& e) {
                   return trace::carried_out(e) && same_request(e, call.first());
                 }) > 1;
    bool may_wait = looks && !hurried && !refused && within < kLooks;
    return ended || hurried || refused ? Refused{times, within, may_wait} : Refused();
  }

  // Attempts of all calls of one place that were still going on when the run was ended: jobs that take turns.
  static std::size_t together(const trace::Comparison& c, const trace::Call& call) {
    std::size_t attempts = 0;
    for (auto* other : c.faulted) {
      bool here = other->site == call.site && other->operation == call.operation;
      bool at_once = other->last().begun > call.first().begun && call.last().begun > other->first().begun;
      if (other == &call || (here && at_once && other->last().fired)) attempts += own_attempts(*other);
    }
    return attempts;
  }

  // Of its own accord, after its last attempt had failed.
  static bool gave_up(const ComparedCase& compared, const trace::Comparison& c, const trace::Call& call) {
    return !was_cut(compared, c) && call.last().fired && !trace::recovered(call);
  }

  // The run, or the test, ended before the client gave up by itself.
  static bool was_cut(const ComparedCase& compared, const trace::Comparison& c) {
    if (c.in_case->stop == trace::Stop::deadline || c.in_case->stop == trace::Stop::capped) return true;
    auto failure = failure_of(compared, c);
    return failure && is_time_limit(text_of(*failure));
  }
};

}  // namespace

const Oracle& missing_cap() {
  static const MissingCap oracle;
  return oracle;
}

}  // namespace retrial::oracles

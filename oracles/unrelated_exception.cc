// The caller is told of something else than what happened. Rainmaker (NSDI'23) 4.3.1.
#include "oracles/unrelated_exception.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ranges>
#include <span>

#include "base/text.h"
#include "oracles/client_words.h"
#include "oracles/evidence.h"
#include "oracles/failure.h"
#include "oracles/ledger.h"
#include "oracles/members.h"
#include "oracles/own_words.h"
#include "oracles/programming_errors.h"
#include "oracles/registry.h"
#include "oracles/service_words.h"
#include "oracles/time_of_fault.h"
#include "trace/profiles/message.h"
#include "trace/profiles/profile.h"
#include "trace/recording/redact.h"
#include "trace/status.h"

namespace retrial::oracles {

constinit const Verdict kUnrelatedException{
    .name = "unrelated-exception",
    .severity = Severity::wrong_error,
    .of_outcome = true,
    .title = "The caller is told of another error than the one that happened",
    .why =
        "The error that reaches the caller is not the one that happened: the retry met the first attempt's own effect, "
        "or the answer was taken for something that it is not.",
    .remedy =
        "Read a retry's conflict or not-found as a sign that the first attempt may have succeeded, and look before "
        "failing; look at an answer's status before its body.",
};

namespace {

constexpr auto kBrokenErrorPath =
    "What runs after a failed call goes wrong itself: mend it, and hand on the error that the call met.";

constexpr auto kUnnamed =
    "Hand on the error that the call met, or name it in your own: its status or text, or the error itself as the "
    "cause.";

constexpr std::string_view kOrder = "order", kRefusal = "N2";  // policies

using trace::Confidence;
using trace::Thrown;

// What only wraps others speaks through them.
bool is_wrapper(const Thrown& thrown) {
  static constexpr std::string_view kWrappers[] = {"RetryError", "ExceptionGroup", "BaseExceptionGroup",
                                                   "AggregateError"};
  return std::any_of(std::begin(kWrappers), std::end(kWrappers),
                     [&](auto type) { return thrown.type == type || thrown.type.ends_with(fmt::format(".{}", type)); });
}

// The exception that carries this error to the caller, or null. An assertion does where it names it as the service does
// (`expect(err).to.not.exist` shows the error that it met); a bare number in one is a result.
const Thrown* carrier(const Failure& failure, const trace::Exchange& error) {
  auto words = service_words(error);
  for (auto* thrown : failure.told) {
    auto status = is_assertion(*thrown) ? 0 : error.service_status;
    if (names(text_of(*thrown), status, words)) return thrown;
    if (!is_wrapper(*thrown)) return nullptr;
  }
  return nullptr;
}

// Is the cause of what is told the answer that the first attempt's own effect gave the last, and no word of the fault's
// own beside it? A word for failures in general ("LockUnavailable") says nothing of the fault then.
bool is_caused_by_own_effect(const trace::Comparison& c, const Failure& failure) {
  if (shows_injected(c, text_of_causes(failure))) return false;
  return std::ranges::any_of(new_errors(c), [&](auto& error) {
    auto words = service_words(*error.exchange);
    return met_own_effect(*error.call) && std::ranges::any_of(failure.told, [&](auto* thrown) {
             return thrown->link == "cause" && names(text_of(*thrown), error.exchange->service_status, words);
           });
  });
}

constexpr std::size_t kTelling = 6;  // bytes of a text that is no other's by chance
// The call ended with an answer of the service's own, as it also gives without the fault, and the caller is told what
// it says: the fault took the attempt that would have brought another one.
bool tells_usual_answer(const trace::Comparison& c, const trace::Call& call, std::string_view text) {
  auto* beside = counterpart(c, call);
  auto& last = call.last();
  if (!beside || !delivered(last)) return false;
  return std::ranges::any_of(members_of(last.response_sample), [&](auto& said) {
    return said.kind == Member::Kind::text && said.value.size() >= kTelling && text.find(said.value) != text.npos &&
           std::ranges::any_of(beside->attempts, [&](auto* e) {
             return e->service_status == last.service_status &&
                    e->response_sample.find(said.value) != std::string::npos;
           });
  });
}

bool says_nothing(const Failure& failure) {
  return std::all_of(failure.told.begin(), failure.told.end(), [](auto* t) {
    return t->message.find_first_not_of(" \t\r\n") == t->message.npos && t->code.empty();
  });
}

class UnrelatedException final : public Oracle {
 public:
  std::span<const Verdict> verdicts() const override { return {&kUnrelatedException, 1}; }

  void judge(Cases cases, Judgement& judgement) const override {
    for (auto& compared : cases)
      if (compared.row->policy != kOrder) judge_case(compared, judgement);  // said by order-violation
  }

 private:
  static void judge_case(const ComparedCase& compared, Judgement& judgement) {
    for (auto* c : compared.comparisons) {
      auto failure = failure_of(compared, *c);
      failure ? judge_failure(compared, *c, *failure, judgement) : judge_exit_status(compared, *c, judgement);
    }
  }

  static void judge_failure(const ComparedCase& compared, const trace::Comparison& c, const Failure& failure,
                            Judgement& judgement) {
    auto pass_over = [&](std::string why) { judgement.not_judged.push_back(not_judged(compared, std::move(why))); };
    if (failure.told.empty()) return pass_over("the test failed, and its runner told no exception");
    auto& outermost = *failure.outermost();
    auto text = text_of(failure);
    if (is_time_limit(text))
      return pass_over(fmt::format("the runner's own time limit ended the test ({})", shorten(outermost.message, 80)));
    if (is_never_settled(text)) return;  // hang

    // Whether it comes to an end is what was asked; there are too many words for who is not known.
    if (compared.row->policy == kRefusal && !is_programming_error(outermost)) return;
    // The dead tells nobody of its own errors, and what others tell of them is expected.
    if (of_death(c) && !is_programming_error(outermost)) return;
    if (!of_death(c) && !shows_injected(c, text_of(outermost)))
      for (auto& error : new_errors(c))
        if (auto* thrown = carrier(failure, *error.exchange))
          return certain(compared, c, failure, error, *thrown, judgement);

    // A parser's error is a programming error but where what it was to read was cut or changed.
    bool parser_says_it = (told_of(c) & kGarbled) && !client_word_in(text, kGarbled, c.in_case->agents).empty();
    auto& call = met_by(c, outermost);
    if (was_answered(c) && is_of_pool(outermost) && !shows_injected(c, text_of_causes(failure)))
      return out_of_connections(compared, c, call, outermost, judgement);
    if (is_assertion(outermost) || parser_says_it) return;  // of assertions silent_wrong_result.cc speaks
    if (shows_fault(c, text_of_causes(failure)) && !is_caused_by_own_effect(c, failure)) return;
    if (!is_programming_error(outermost) && tells_usual_answer(c, call, text_of_causes(failure))) return;
    if (given_as_answer(compared, call)) return pass_over(kGivenAsAnswer);
    if (!in_test_phase(*failure.result))
      return pass_over(
          fmt::format("the test failed in its {}: {}", trace::show(failure.result->phase), named(outermost)));
    if (outermost.in_test) return pass_over(fmt::format("the test failed on a line of its own: {}", named(outermost)));
    if (told_by_exit_status(c, call, failure))
      return pass_over(fmt::format("the program that sent it ended with a status, and what it printed is not seen: {}",
                                   named(outermost)));
    if (says_nothing(failure)) {
      // A client's own exception without a word (of an error to HEAD, say) is no other error than the fault.
      if (!trace::recovered(call)) return;
      return pass_over(fmt::format("the test failed with {}, which says nothing", named(outermost)));
    }
    if (!is_programming_error(outermost) && text.contains(trace::kRedacted))
      return pass_over(fmt::format(
          "the test failed with {}, of which a part was taken for a secret: whether it names the fault is not seen",
          named(outermost)));
    bool by_mistake = std::ranges::any_of(failure.told, [](auto* t) { return is_programming_error(*t); });
    bool own_words = !by_mistake && new_errors(c).empty() && says_so_itself(c, call, failure);
    bool doubtful = own_words || is_unexpected(compared, call) || test_went_on(compared, c, call);
    auto sure = doubtful ? Confidence::possible : Confidence::likely;
    judgement.findings.push_back(make_finding(compared, c, call, kUnrelatedException, sure,
                                              likely_message(compared, c, call, failure),
                                              is_programming_error(outermost) ? kBrokenErrorPath
                                              : met_own_effect(call)          ? kLook
                                                                              : kUnnamed));
    if (is_programming_error(outermost) && !outermost.file.empty())
      judgement.findings.back().raised_at = fmt::format("{}:{}", outermost.file, outermost.line);
  }

  // What fails is another call, and nothing but the test joins the two: a Go test goes on after an error, or does not
  // look at it ("defer c.Remove()").
  static bool test_went_on(const ComparedCase& compared, const trace::Comparison& c, const trace::Call& call) {
    if (!errors_are_values(*c.in_case) || !call.first().tag.site) return false;
    auto& from = *call.first().tag.site;
    return std::ranges::any_of(c.pairs, [&](auto& pair) {
      if (!pair.in_case || pair.in_case == &call) return false;
      auto& e = pair.in_case->last();
      bool usual = pair.reference && pair.reference->last().service_status >= 400;
      return !usual && !e.fired && e.begun >= call.last().told && e.service_status >= 400 && e.tag.site &&
             !in_one_function(*e.tag.site, from, compared.row->test);
    });
  }

  // Each time the fault met it, it was answered: nothing kept a connection but its client.
  static bool was_answered(const trace::Comparison& c) {
    return std::ranges::all_of(c.faulted, [](auto* call) {
      return std::ranges::all_of(call->attempts, [](auto* e) { return !e->fired || e->client_status >= 400; });
    });
  }
  // The client waited for a connection of its own, and got none: Apache HttpClient, urllib3, httpx, reactor-netty, AWS.
  static bool is_of_pool(const Thrown& thrown) {
    static constexpr std::string_view kOfPool[] = {
        "ConnectionRequestTimeoutException", "ConnectionPoolTimeoutException",  "EmptyPoolError", "PoolTimeout",
        "PoolAcquireTimeoutException",       "PoolAcquirePendingLimitException"};
    return std::ranges::any_of(kOfPool, [&](auto type) { return thrown.type.ends_with(type); }) ||
           icontains(thrown.message, "waiting for connection from pool");
  }
  static void out_of_connections(const ComparedCase& compared, const trace::Comparison& c, const trace::Call& call,
                                 const Thrown& thrown, Judgement& judgement) {
    judgement.findings.push_back(make_finding(
        compared, c, call, kUnrelatedException, std::min(Confidence::likely, call.confidence),
        fmt::format("{}: {}, {} were answered so, and then its client had no connection left: {}. Each answer had come "
                    "to its end, so what it came on was kept and not given back.",
                    call.operation, what_was_done(call, first_fired(call)), counted(call.attempts.size(), "attempt"),
                    named(thrown)),
        "A right client reads every answer to its end or closes it, one with an error too: else its pool has one "
        "connection less for good."));
  }

  // A command without tests need not reckon with every error that will not pass: that a thing which is there is not.
  static bool is_unexpected(const ComparedCase& compared, const trace::Call& call) {
    auto status = call.last().fired ? call.last().client_status : 0;
    return compared.row->test.empty() && status >= 400 && status < 500 && status != 408 && status != 425 &&
           status != 429;
  }

  static void certain(const ComparedCase& compared, const trace::Comparison& c, const Failure& failure,
                      const ServiceError& error, const Thrown& thrown, Judgement& judgement) {
    auto& e = *error.exchange;
    bool same = std::ranges::find(c.faulted, error.call) != c.faulted.end();
    auto& call = same ? *error.call : *c.faulted.front();
    auto confidence = !same && test_went_on(compared, c, call) ? Confidence::possible
                      : in_test_phase(*failure.result) && error.call->confidence > Confidence::possible
                          ? Confidence::certain
                          : Confidence::likely;
    auto attempt = ordinal(static_cast<std::size_t>(e.attempt)) + " attempt";
    auto after = fmt::format(
        "{} was answered {} by the service itself",
        same ? fmt::format("the {}", attempt) : fmt::format("a later call ({}, {})", error.call->operation, attempt),
        show_error(e));
    bool done = same && std::any_of(call.attempts.begin(), call.attempts.end(),
                                    [](auto* a) { return a->fired && is_success(a->service_status); });
    judgement.findings.push_back(make_finding(
        compared, c, call, kUnrelatedException, confidence,
        fmt::format(
            "{}: {}, {}, and the test ended with {}. Without the fault there is no such error: {}", call.operation,
            what_was_done(call, first_fired(call)), after, named(thrown),
            done ? fmt::format("the call had succeeded the first time, and its caller is told that it failed with {}.",
                               is_success(e.service_status) ? show_error(e) : trace::show_status(e.service_status))
                 : std::string("the caller is told of it in place of what happened."))));
    auto& f = judgement.findings.back();
    if (!same) f.evidence.push_back(e.id);
  }

  // Of several the one that was made where the exception rose; else the last of the function that it rose in, which
  // went on after those before; else the first.
  static const trace::Call& met_by(const trace::Comparison& c, const Thrown& thrown) {
    auto in = [&](auto& frame) { return frame.file == thrown.file && frame.function == thrown.function; };
    auto at = [&](auto& frame) { return frame.file == thrown.file && frame.line == thrown.line; };
    auto made = [](auto* call, auto there) {
      auto& site = call->first().tag.site;
      return site && std::ranges::any_of(trace::frames_of(*site), there);
    };
    auto it = std::ranges::find_if(c.faulted, [&](auto* call) { return made(call, at); });
    if (it != c.faulted.end()) return **it;
    for (auto* call : c.faulted | std::views::reverse)
      if (!thrown.function.empty() && !trace::recovered(*call) && made(call, in)) return *call;
    return *c.faulted.front();
  }

  static std::string likely_message(const ComparedCase& compared, const trace::Comparison& c, const trace::Call& call,
                                    const Failure& failure) {
    auto& outermost = *failure.outermost();
    auto place =
        outermost.file.empty() ? std::string() : fmt::format(" at {}:{}", short_path(outermost.file), outermost.line);
    return fmt::format(
        "{}: {}, {}, and the {} ended with {}{}. Neither this exception nor its causes name the fault: whoever reads "
        "it looks for the error in the wrong place.",
        call.operation, what_was_done(call, first_fired(call)),
        met_own_effect(call) ? fmt::format("the {} attempt met its effect and was answered {} by the service itself",
                                           ordinal(call.attempts.size()), show_error(call.last()))
        : call.attempts.size() > 1 ? fmt::format("{} were made", counted(call.attempts.size(), "attempt"))
        : times_asked(c, call) > 1
            ? fmt::format("the same was asked {} in all, each in vain", counted(times_asked(c, call), "time"))
            : "it was not sent again",
        compared.row->test.empty() ? "command" : "test", named(outermost), place);
  }
};

}  // namespace

const Oracle& unrelated_exception() {
  static const UnrelatedException oracle;
  return oracle;
}

}  // namespace retrial::oracles

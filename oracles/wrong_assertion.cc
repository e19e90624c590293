// silent-wrong-result by an assertion of the test that failed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "oracles/assertion_text.h"
#include "oracles/client_words.h"
#include "oracles/evidence.h"
#include "oracles/ledger.h"
#include "oracles/met_nothing.h"
#include "oracles/pages.h"
#include "oracles/read_denied.h"
#include "oracles/repeat.h"
#include "oracles/silent_wrong_result.h"
#include "oracles/taken_for_data.h"
#include "oracles/written_after.h"
#include "trace/profiles/fault_answer.h"
#include "trace/profiles/message.h"
#include "trace/profiles/profile.h"

namespace retrial::oracles {
using trace::Call;
using trace::Comparison;
using trace::Confidence;

namespace {

// It may have told somebody of it.
bool acted_later(const Comparison& c, const Call& call) {
  return std::ranges::any_of(c.in_case->exchanges,
                             [&](auto& e) { return e.begun >= call.last().told && had_effect(e); });
}

// May the test count the requests at a service of its own? One that may be repeated rightly came more often, and the
// assertion is about one more.
bool counts_requests(const Comparison& c, const Call& call, std::string_view text) {
  auto repeat = trace::profile_of(call.first()).repeat(call.first());
  auto* beside = counterpart(c, call);
  bool may = repeat != trace::Repeat::effect && (repeat != trace::Repeat::unknown || lets_in(call.first()));
  if (!beside || !may) return false;
  auto times = [](const Call& of) { return std::ranges::count_if(of.attempts, [](auto* e) { return executed(*e); }); };
  auto words = words_in(text);
  auto both = [&](auto now, auto usual) {
    return now > usual && words.contains(std::to_string(now)) && words.contains(std::to_string(usual));
  };
  auto now = times(call), usual = times(*beside);
  if (both(now, usual) || (now > usual && text.find("one more item") != text.npos)) return true;
  // Or of any operation that a retry from the beginning has come to once more.
  std::map<std::string_view, std::pair<int, int>> all;  // by operation: here, and in the reference
  for (auto& e : c.in_case->exchanges) all[e.operation].first += executed(e);
  for (auto& e : c.reference->exchanges) all[e.operation].second += executed(e);
  return std::ranges::any_of(all,
                             [&](auto& of) { return of.second.second > 0 && both(of.second.first, of.second.second); });
}

bool only_delayed(const Comparison& c) {
  for (auto* call : c.faulted)
    for (auto* e : call->attempts)
      if (e->fired && !is_slowness(e->fault)) return false;
  return true;
}
// It is about how long something took, or how old it is, and the fault held the client up.
bool about_time(const Comparison& c, std::string_view text) {
  static constexpr std::array<std::string_view, 8> kTime = {"time", "elapsed", "took", "duration",
                                                            "dt",   "seconds", "age",  "slow"};
  bool held = std::ranges::any_of(c.faulted, [](auto* call) {
    return std::ranges::any_of(call->attempts, [](auto* e) { return e->fired && e->told - e->begun >= kSecond; });
  });
  return held && std::ranges::any_of(kTime, [&](auto word) { return holds_word(text, word); });
}
// Every call that the reference made in the test after this one was made in the case too, and there was at least one.
bool went_on(const Comparison& c, const Call& call) {
  auto* beside = counterpart(c, call);
  if (!beside) return false;
  bool any = false;
  for (auto& pair : c.pairs) {
    if (!pair.reference || pair.reference->first().begun < beside->last().told) continue;
    auto phase = pair.reference->first().tag.phase;
    if (phase == trace::Phase::teardown || phase == trace::Phase::shared) continue;
    if (!pair.in_case) return false;
    any = true;
  }
  return any;
}

// The very same was sent once more, as a call of its own: what failed was kept, and not forgotten.
bool sent_later(const Comparison& c, const Call& call) {
  auto& failed = call.last();
  return std::ranges::any_of(c.in_case->exchanges, [&](auto& e) {
    return e.begun > failed.begun && e.call != failed.call && same_request(e, failed);
  });
}

// An assertion that failed, and what was seen of it where it is judged.
struct Asserted {
  const ComparedCase& compared;
  const Comparison& c;
  const Failure& failure;
  const Call& call;
  std::string text;  // of all that was told
  std::string done;  // what the fault did
  const std::string& message() const { return failure.outermost()->message; }
  std::string attempts() const { return counted(call.attempts.size(), "attempt"); }
};
struct Said {
  Confidence sure;
  std::string seen, why, advice = {};
};
std::string place_of(const trace::Thrown& thrown) {
  return thrown.file.empty() ? "" : fmt::format(" at {}:{}", thrown.file, thrown.line);
}

Confidence at_most_likely(Confidence confidence) { return std::min(Confidence::likely, confidence); }

// Who shows the fault was told of it: what was answered well then was a call of its own.
std::optional<Said> after_a_recovery(const Asserted& a) {
  bool recovered = std::ranges::all_of(
      a.c.faulted, [](auto* f) { return trace::recovered(*f) && trace::recovery(*f)->service_status < 400; });
  if (!recovered || shows_injected(a.c, a.text)) return {};
  auto& answer = *trace::recovery(a.call);
  bool counted = only_delayed(a.c) || about_time(a.c, a.message()) || counts_requests(a.c, a.call, a.text) ||
                 lets_in(a.call.first());
  return Said{counted ? Confidence::possible : at_most_likely(a.call.confidence),
              fmt::format("{}, attempt {} was answered {} and delivered", a.done, answer.attempt,
                          trace::status_of(answer, answer.client_status)),
              "The call recovered and reported success, yet what the test finds differs from the same test without the "
              "fault."};
}

std::optional<Said> at_a_refused_repeat(const Asserted& a) {
  for (auto& error : new_errors(a.c)) {
    if (error.call != &a.call || error.exchange != &a.call.last()) continue;
    return Said{at_most_likely(a.call.confidence),
                fmt::format("{}, attempt {} was answered {} by the service itself, no exception came of it", a.done,
                            a.call.attempts.size(), show_error(*error.exchange)),
                "The application took the answer to its own repeat for somebody else's doing: what the test finds "
                "differs from the same test without the fault."};
  }
  return {};
}

// A function that application code calls elsewhere in this test, and nobody but the test here: it hands answers on, and
// whoever called it was to look at them.
bool is_helper_of_others(const Comparison& c, const trace::CallSite& site) {
  auto outermost = trace::frames_of(site).back();
  return std::ranges::any_of(c.reference->exchanges, [&](auto& e) {
    if (!e.tag.site) return false;
    auto frames = trace::frames_of(*e.tag.site);
    auto& caller = frames.back();
    return caller.file != outermost.file &&
           std::ranges::any_of(frames, [&](auto& frame) { return frame.file == outermost.file; });
  });
}

std::optional<Said> of_an_error_read_as_data(const Asserted& a) {
  auto* e = error_read_as_data(a.c, a.failure);
  if (!e) return {};
  auto& site = a.call.first().tag.site;
  bool of_test = !site || in_tests(site->file, a.compared.row->test) || is_helper_of_others(a.c, *site);
  return Said{
      of_test ? Confidence::possible : at_most_likely(a.call.confidence),
      fmt::format("{}, no exception came of it", a.done),
      fmt::format("It found the body of that {} where the data should be: the answer was read without a look at "
                  "its status.",
                  show_answer(e->client_status))};
}

// "147 !== 20000", where 147 bytes were told by the fault, and 20000 are read else.
std::optional<Said> of_the_errors_length(const Asserted& a) {
  constexpr std::size_t kLeast = 16;  // bytes: fewer may be any number
  auto* beside = counterpart(a.c, a.call);
  auto words = words_in(a.message());
  bool usual = beside && words.contains(std::to_string(beside->last().response_bytes));
  auto told = [&](auto* e) {
    auto size = e->injected_sample.size();
    return e->fired && size >= kLeast && size < trace::kSampleBytes && words.contains(std::to_string(size));
  };
  if (!usual || std::ranges::none_of(a.call.attempts, told)) return {};
  return Said{at_most_likely(a.call.confidence), fmt::format("{}, no exception came of it", a.done),
              "It found as many bytes as that error's body has where the data should be: the answer was read without a "
              "look at its status."};
}

std::optional<Said> of_a_cut_body(const Asserted& a) {
  if (!cut_short(a.c, a.call)) return {};
  return Said{at_most_likely(a.call.confidence), fmt::format("{}, no exception came of it", a.done),
              "The first part of the body was taken for the whole."};
}

std::optional<Said> by_a_write(const Asserted& a, const Call* write, std::string_view how, const char* why) {
  if (!write) return {};
  return Said{at_most_likely(write->confidence),
              fmt::format("{}, no exception came of it, and {} was then made{}", a.done, write->operation, how), why};
}
std::optional<Said> by_an_error_written_as_data(const Asserted& a) {
  return by_a_write(a, error_written_as_data(a.c, a.call), " with the body of that error",
                    "The answer was read without a look at its status.");
}
std::optional<Said> by_what_is_written_with_less(const Asserted& a) {
  return by_a_write(a, written_with_less(a.c, a.call).first, " without data that it has else",
                    "The failure was taken for an answer that holds nothing.");
}
std::optional<Said> by_what_is_written_with_other(const Asserted& a) {
  return by_a_write(a, written_with_other(a.c, a.call), " with another value than it reads there else",
                    "What it could not read it took from elsewhere.");
}
std::optional<Said> by_what_is_written_as_it_says(const Asserted& a) {
  return by_a_write(a, written_as_told(a.c, a.call, a.message()), " with that value",
                    "What could not be read was left out of it, and nobody was told.");
}
std::optional<Said> by_what_is_written_instead(const Asserted& a) {
  if (!may_pass(a.call.last())) return {};
  return by_a_write(a, written_instead(a.compared, a.c, a.call),
                    ", which the same test does not make without the fault",
                    "The failure was taken for an answer that holds nothing.");
}

std::optional<Said> of_a_kept_failure(const Asserted& a) {
  auto asked = asked_again(a.c, a.call, *a.failure.outermost());
  if (!asked || !may_pass(a.call.last())) return {};
  return Said{
      at_most_likely(a.call.confidence),
      fmt::format("{}, no exception came of it, and the test's next {} {}, as it does after a good answer", a.done,
                  asked->function, asked->for_else_beside ? "did not ask for it again" : "sent nothing"),
      "The failure was kept as if it were the answer: who asks again is given it, however well the service is.",
      "A right client keeps good answers alone, and asks again after a failure."};
}

std::optional<Said> of_the_unheard(const Asserted& a) {
  auto* thrown = unheard(a.c, a.failure);
  if (!thrown) return {};
  return Said{at_most_likely(a.call.confidence),
              fmt::format("{}, what came of it was raised where nobody looks ({})", a.done, named(*thrown)),
              "It ended a task that nobody awaits: nobody was told, and nobody tries again.",
              "A right client awaits what it has started, or looks how it ended, before it calls it done."};
}

std::optional<Said> of_a_walk(const Asserted& a) {
  if (!compares_contents(a.message()) || hands_back(a.call, a.message()) || !walk_ended_at(a.c, a.call)) return {};
  return Said{errors_are_values(*a.c.in_case) ? Confidence::possible : at_most_likely(a.call.confidence),
              fmt::format("{}, no exception came of it", a.done), "The pages before it were taken for the whole list."};
}
std::optional<Said> of_who_went_on(const Asserted& a) {
  if (!went_on(a.c, a.call) || hands_back(a.call, a.message()) || sent_later(a.c, a.call)) return {};
  return Said{
      Confidence::possible,
      fmt::format("{}, {} ended in the fault, and the calls after it were made as if it had not", a.done, a.attempts()),
      "Nothing in what the test saw speaks of the fault: the failure may have been swallowed."};
}
std::optional<Said> of_other_contents(const Asserted& a) {
  if (!compares_contents(a.message()) || hands_back(a.call, a.message()) || acted_later(a.c, a.call) ||
      sent_later(a.c, a.call))
    return {};
  return Said{
      Confidence::possible, fmt::format("{}, {} ended in the fault, and no exception came of it", a.done, a.attempts()),
      "The test found another content, and not an error: the failure may have been taken for an end of the data, "
      "or swallowed."};
}

std::optional<Said> of_a_denial(const Asserted& a) {
  auto asked = denied_by(a.c, a.call, *a.failure.outermost());
  if (asked.empty() || !may_pass(a.call.last())) return {};
  return Said{
      at_most_likely(a.call.confidence),
      fmt::format("{}, {} ended in the fault, and no exception came of it", a.done, a.attempts()),
      fmt::format("{} said that it is not there: whoever asks makes it anew, or gives it up, while it is there.",
                  asked),
      "A right client tells its caller that it could not find out: no is the answer to a good 404 alone."};
}

std::optional<Said> of_another_truth(const Asserted& a) {
  if (!read_denied(a.c, a.call, a.compared.row->test, a.message()) || acted_later(a.c, a.call) ||
      sent_later(a.c, a.call))
    return {};
  return Said{
      Confidence::possible, fmt::format("{}, {} ended in the fault, and no exception came of it", a.done, a.attempts()),
      "Where the test reads alone it found one truth value in place of the other: whoever is told so cannot tell a "
      "failure from an answer."};
}

std::optional<Said> of_nothing(const Asserted& a) {
  if (!met_nothing(a.c, a.call, *a.failure.outermost())) return {};
  return Said{Confidence::possible,
              fmt::format("{}, {} ended in the fault, and no exception came of it", a.done, a.attempts()),
              "The test was given nothing where the answer has a value else: whoever is told so cannot tell a failure "
              "from a thing that is not there."};
}

}  // namespace

void judge_nothing_given(const ComparedCase& compared, const Comparison& c, const Failure& failure,
                         Judgement& judgement) {
  auto& call = *c.faulted.front();
  auto& outermost = *failure.outermost();
  if (!in_test_phase(*failure.result) || given_as_answer(compared, call) || shows_fault(c, text_of_causes(failure)) ||
      expected_by_test(compared, c) || !met_nothing(c, call, outermost))
    return;
  judgement.findings.push_back(make_finding(
      compared, c, call, kSilentWrongResult, Confidence::possible,
      fmt::format("{}: {}, {} ended in the fault, no exception came of it, and the test went on with nothing{}: {}.",
                  call.operation, what_was_done(call, first_fired(call)), counted(call.attempts.size(), "attempt"),
                  place_of(outermost), named(outermost)),
      "A right client tells its caller of the failure: it gives no value in place of one that it has not got."));
}

void judge_assertion(const ComparedCase& compared, const Comparison& c, const Failure& failure, Judgement& judgement) {
  auto pass_over = [&](std::string why) { judgement.not_judged.push_back(not_judged(compared, std::move(why))); };
  auto& outermost = *failure.outermost();
  auto& call = *c.faulted.front();
  Asserted a{compared, c, failure, call, text_of(failure), what_was_done(call, first_fired(call))};
  if (is_time_limit(a.text)) return;  // said by unrelated-exception
  if (!in_test_phase(*failure.result))
    return pass_over(
        fmt::format("an assertion failed in the test's {}: {}", trace::show(failure.result->phase), named(outermost)));
  if (!outermost.in_test)
    return pass_over(fmt::format("an assertion of the application's own failed: {}", named(outermost)));

  auto judged_by = [&](auto... ways) {
    std::optional<Said> said;
    ((said = said ? said : ways(a)), ...);
    if (said)
      judgement.findings.push_back(
          make_finding(compared, c, call, kSilentWrongResult, said->sure,
                       fmt::format("{}: {}, and an assertion of the test failed{}: {}. {}", call.operation, said->seen,
                                   place_of(outermost), named(outermost), said->why),
                       said->advice));
    return said.has_value();
  };
  if (judged_by(after_a_recovery, at_a_refused_repeat)) return;
  if (given_as_answer(compared, call)) return pass_over(kGivenAsAnswer);
  if (judged_by(of_an_error_read_as_data, of_the_errors_length) || shows_fault(c, a.text) ||
      expected_by_test(compared, c))
    return;
  if (judged_by(of_a_cut_body, by_an_error_written_as_data, by_what_is_written_with_less, by_what_is_written_with_other,
                by_what_is_written_as_it_says, by_what_is_written_instead, of_a_kept_failure, of_the_unheard,
                of_a_denial, of_a_walk, of_who_went_on, of_other_contents, of_another_truth, of_nothing))
    return;
  pass_over(fmt::format(
      "the call ended in the fault and an assertion failed ({}): whether the caller was told cannot be seen",
      named(outermost)));
}

}  // namespace retrial::oracles

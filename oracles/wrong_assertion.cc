// silent-wrong-result by an assertion of the test that failed.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "oracles/client_words.h"
#include "oracles/evidence.h"
#include "oracles/ledger.h"
#include "oracles/pages.h"
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

// A list of what failed, where none was expected: it names what this call was about. Go shows it without quotes.
bool hands_back(const Call& call, std::string_view message) {
  constexpr std::size_t kName = 3, kShortName = 2;
  auto parts = trace::message::segments(trace::message::path_of(call.first().target));
  return std::ranges::any_of(parts, [&](auto part) {
    auto name = percent_decode(part);
    auto listed = message.find("[" + name + "]");
    bool by_itself = listed != message.npos && (listed == 0 || message[listed - 1] == ' ');
    if (listed != message.npos && (name.size() >= kName || (by_itself && name.size() >= kShortName))) return true;
    if (!message.contains("[]")) return false;
    for (auto* alone : {"['{}']", "[\"{}\"]", "[ '{}' ]"})
      if (message.contains(fmt::format(fmt::runtime(alone), name))) return true;
    return part == parts.back() && name.size() >= kName && message.contains(name);
  });
}

// Did it lay two numbers, or two lists, beside each other? A truth value, 0 and 1 among them, and what is not there
// at all may be how the application says that something failed.
bool compares_contents(std::string_view message) {
  auto words = words_in(message);
  if (tells_failure(message)) return false;
  for (std::string_view none : {"none", "null", "nil", "undefined", "true", "false"})
    if (words.contains(std::string(none))) return false;
  if (message.find('[') != message.npos && message.find(']') != message.npos) return true;
  std::set<std::int64_t> numbers;
  for (auto& word : words)
    if (auto number = to_int(word.first)) numbers.insert(*number);
  return numbers.size() > 1 && *numbers.rbegin() > 1;
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
  auto now = times(call), usual = times(*beside);
  bool both = words.contains(std::to_string(now)) && words.contains(std::to_string(usual));
  return now > usual && (both || text.find("one more item") != text.npos);
}

bool only_delayed(const Comparison& c) {
  for (auto* call : c.faulted)
    for (auto* e : call->attempts)
      if (e->fired && !is_slowness(e->fault)) return false;
  return true;
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

}  // namespace

void judge_assertion(const ComparedCase& compared, const Comparison& c, const Failure& failure, Judgement& judgement) {
  auto pass_over = [&](std::string why) { judgement.not_judged.push_back(not_judged(compared, std::move(why))); };
  auto& outermost = *failure.outermost();
  auto text = text_of(failure);
  if (is_time_limit(text)) return;  // said by unrelated-exception
  auto& call = *c.faulted.front();
  if (!in_test_phase(*failure.result))
    return pass_over(
        fmt::format("an assertion failed in the test's {}: {}", trace::show(failure.result->phase), named(outermost)));
  if (!outermost.in_test)
    return pass_over(fmt::format("an assertion of the application's own failed: {}", named(outermost)));

  auto add = [&](Confidence confidence, std::string seen, std::string_view why) {
    judgement.findings.push_back(make_finding(compared, c, call, kSilentWrongResult, confidence,
                                              fmt::format("{}: {}, and an assertion of the test failed: {}. {}",
                                                          call.operation, seen, named(outermost), why)));
  };
  auto done = what_was_done(call, first_fired(call));
  bool recovered = std::all_of(c.faulted.begin(), c.faulted.end(), [](auto* f) {
    return trace::recovered(*f) && trace::recovery(*f)->service_status < 400;
  });
  // Who shows the fault was told of it: what was answered well then was a call of its own.
  if (recovered && !shows_injected(c, text)) {
    auto& answer = *trace::recovery(call);
    bool counted = only_delayed(c) || counts_requests(c, call, text) || lets_in(call.first());
    return add(counted ? Confidence::possible : std::min(Confidence::likely, call.confidence),
               fmt::format("{}, attempt {} was answered {} and delivered", done, answer.attempt,
                           trace::status_of(answer, answer.client_status)),
               "The call recovered and reported success, yet what the test finds differs from the same test without "
               "the fault.");
  }
  for (auto& error : new_errors(c)) {
    if (error.call != &call || error.exchange != &call.last()) continue;
    return add(std::min(Confidence::likely, call.confidence),
               fmt::format("{}, attempt {} was answered {} by the service itself, no exception came of it", done,
                           call.attempts.size(), show_error(*error.exchange)),
               "The application took the answer to its own repeat for somebody else's doing: what the test finds "
               "differs from the same "
               "test without the fault.");
  }
  if (given_as_answer(compared, call)) return pass_over(kGivenAsAnswer);
  if (auto* e = error_read_as_data(c, failure)) {
    auto& site = call.first().tag.site;
    bool of_test = !site || in_tests(site->file, compared.row->test);
    return add(of_test ? Confidence::possible : std::min(Confidence::likely, call.confidence),
               fmt::format("{}, no exception came of it", done),
               fmt::format("It found the body of that {} where the data should be: the answer was read without a look "
                           "at its status.",
                           show_answer(e->client_status)));
  }
  if (shows_fault(c, text) || expected_by_test(compared, c)) return;
  if (cut_short(c, call))
    return add(std::min(Confidence::likely, call.confidence), fmt::format("{}, no exception came of it", done),
               "The first part of the body was taken for the whole.");
  if (auto* write = written_with_less(c, call).first)
    return add(std::min(Confidence::likely, write->confidence),
               fmt::format("{}, no exception came of it, and {} was then made without data that it has else", done,
                           write->operation),
               "The failure was taken for an answer that holds nothing.");
  if (auto* write = written_with_other(c, call))
    return add(std::min(Confidence::likely, write->confidence),
               fmt::format("{}, no exception came of it, and {} was then made with another value than it reads there "
                           "else",
                           done, write->operation),
               "What it could not read it took from elsewhere.");
  if (may_pass(call.last()))
    if (auto* write = written_instead(compared, c, call))
      return add(std::min(Confidence::likely, write->confidence),
                 fmt::format("{}, no exception came of it, and {} was then made, which the same test does not make "
                             "without the fault",
                             done, write->operation),
                 "The failure was taken for an answer that holds nothing.");
  if (compares_contents(outermost.message) && !hands_back(call, outermost.message) && walk_ended_at(c, call))
    return add(std::min(Confidence::likely, call.confidence), fmt::format("{}, no exception came of it", done),
               "The pages before it were taken for the whole list.");
  if (went_on(c, call) && !hands_back(call, outermost.message))
    return add(Confidence::possible,
               fmt::format("{}, {} ended in the fault, and the calls after it were made as if it had not", done,
                           counted(call.attempts.size(), "attempt")),
               "Nothing in what the test saw speaks of the fault: the failure may have been swallowed.");
  if (compares_contents(outermost.message) && !hands_back(call, outermost.message) && !acted_later(c, call))
    return add(Confidence::possible,
               fmt::format("{}, {} ended in the fault, and no exception came of it", done,
                           counted(call.attempts.size(), "attempt")),
               "The test found another content, and not an error: the failure may have been taken for an end of the "
               "data, or swallowed.");
  pass_over(fmt::format(
      "the call ended in the fault and an assertion failed ({}): whether the caller was told cannot be seen",
      named(outermost)));
}

}  // namespace retrial::oracles

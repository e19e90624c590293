// silent-wrong-result by an assertion of the test that failed.
#include <fmt/format.h>

#include "oracles/asserted.h"
#include "oracles/client_words.h"
#include "oracles/evidence.h"
#include "oracles/met_nothing.h"
#include "oracles/silent_wrong_result.h"

namespace retrial::oracles {
using trace::Call;
using trace::Comparison;
using trace::Confidence;

namespace {

std::string place_of(const trace::Thrown& thrown) {
  return thrown.file.empty() ? "" : fmt::format(" at {}:{}", thrown.file, thrown.line);
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
                of_a_denial, of_a_walk, of_who_went_on, of_other_contents, of_another_truth, of_another_value,
                of_nothing))
    return;
  pass_over(fmt::format(
      "the call ended in the fault and an assertion failed ({}): whether the caller was told cannot be seen",
      named(outermost)));
}

}  // namespace retrial::oracles

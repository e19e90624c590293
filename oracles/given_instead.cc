#include "oracles/asserted.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "oracles/assertion_text.h"
#include "oracles/client_words.h"
#include "oracles/exchange_members.h"
#include "oracles/ledger.h"
#include "oracles/met_nothing.h"
#include "oracles/pages.h"
#include "oracles/read_denied.h"
#include "oracles/repeat.h"
#include "oracles/silent_wrong_result.h"
#include "oracles/taken_for_data.h"

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

}  // namespace

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
      Confidence::possible, a.ended_unheard(),
      "The test found another content, and not an error: the failure may have been taken for an end of the data, "
      "or swallowed."};
}

std::optional<Said> of_a_denial(const Asserted& a) {
  auto asked = denied_by(a.c, a.call, *a.failure.outermost());
  if (asked.empty() || !may_pass(a.call.last())) return {};
  return Said{
      at_most_likely(a.call.confidence), a.ended_unheard(),
      fmt::format("{} said that it is not there: whoever asks makes it anew, or gives it up, while it is there.",
                  asked),
      "A right client tells its caller that it could not find out: no is the answer to a good 404 alone."};
}

std::optional<Said> of_another_truth(const Asserted& a) {
  if (!read_denied(a.c, a.call, a.compared.row->test, a.message()) || acted_later(a.c, a.call) ||
      sent_later(a.c, a.call))
    return {};
  return Said{
      Confidence::possible, a.ended_unheard(),
      "Where the test reads alone it found one truth value in place of the other: whoever is told so cannot tell a "
      "failure from an answer."};
}

// A word by which an application says that it could not find out.
static bool owns_up(std::string_view text) {
  static constexpr std::array<std::string_view, 14> kWords{
      "unavailable", "unreachable", "degraded", "stale", "offline", "down",    "timeout",
      "unhealthy",   "skipped",     "pending",  "later", "retry",   "failing", "outage"};
  return tells_failure(text) || std::ranges::any_of(kWords, [&](auto word) { return holds_word(text, word); });
}

std::optional<Said> of_another_value(const Asserted& a) {
  constexpr std::size_t kTelling = 3;
  auto* beside = counterpart(a.c, a.call);
  if (!beside || errors_are_values(*a.c.in_case) || !only_reads(a.call.first()) || trace::recovered(a.call) ||
      owns_up(a.message()) || hands_back(a.call, a.message()) || acted_later(a.c, a.call) || sent_later(a.c, a.call))
    return {};
  auto told = members_answered(beside->last());
  if (std::ranges::none_of(told, [&](auto& m) {
        return m.kind == Member::Kind::text && m.value.size() >= kTelling && holds_word(a.message(), m.value);
      }))
    return {};
  return Said{Confidence::possible, a.ended_unheard(),
              "The test found another value than the answer tells else, and not an error: whoever is told so cannot "
              "tell a failure from an answer."};
}

std::optional<Said> of_nothing(const Asserted& a) {
  if (!met_nothing(a.c, a.call, *a.failure.outermost())) return {};
  return Said{Confidence::possible, a.ended_unheard(),
              "The test was given nothing where the answer has a value else: whoever is told so cannot tell a failure "
              "from a thing that is not there."};
}

}  // namespace retrial::oracles

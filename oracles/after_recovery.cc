#include "oracles/asserted.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "oracles/client_words.h"
#include "oracles/repeat.h"
#include "oracles/taken_for_data.h"
#include "trace/profiles/profile.h"

namespace retrial::oracles {
using trace::Call;
using trace::Comparison;
using trace::Confidence;

namespace {

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

}  // namespace

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

}  // namespace retrial::oracles

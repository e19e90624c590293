#include "oracles/known_repeats.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "oracles/evidence.h"
#include "oracles/repeat.h"
#include "oracles/waits.h"
#include "trace/calls/service_name.h"
#include "trace/comparing/retrier.h"
#include "trace/status.h"

namespace retrial::oracles {
using Effects = Shown::Effects;
using trace::Confidence;

namespace {

constexpr Nanos kWait = 60 * kMillisecond;  // no wait of a client that has none

// Who sends again: a line of the application, or else whoever does so where the call is made.
std::string by_whom(const std::string& retrier, const std::tuple<std::string, std::string, std::string>& place) {
  if (retrier.contains(':')) return retrier;
  return fmt::format("{} {} {}", std::get<0>(place), std::get<1>(place), std::get<2>(place));
}

// How sure the answers of both make one that the second did harm; of one effect that was shown, however weakly, no
// surer than possible. Nothing: that is open, an answer was cut, or it is not sure that both are one call.
std::optional<Confidence> harm_where_both_answered(const trace::Comparison& c, const trace::Call& call,
                                                   const trace::Exchange& before, const trace::Exchange& next) {
  if (call.confidence == Confidence::possible || cut_in_answer(before) || cut_in_answer(next)) return {};
  if (auto harm = harm_of_repeat(c, call, before, next)) return harm->confidence;
  if (shown_by_service(c, before, next).effects == Effects::one) return Confidence::possible;
  return {};
}

}  // namespace

void KnownRepeats::add_waits(const trace::Comparison& seen, const trace::Call& call) {
  for (auto& w : waits_of(seen, call)) {
    bool surely = w.retry > 1 && w.measured && w.least >= kWait && w.before->fired && is_status(w.before->fault);
    if (!surely) continue;
    Place place{trace::service_name(call.first().service), call.site, call.operation};
    auto& longest = waited_[{w.before->client_status, by_whom(trace::retrier(call), place)}];
    if (w.least > longest.time) longest = {w.next->tag.test, w.least};
  }
}

void KnownRepeats::add(const trace::Comparison& seen) {
  for (auto* call : seen.faulted) {
    add_waits(seen, *call);
    auto& first = call->first();
    Place place{trace::service_name(first.service), call->site, call->operation};
    if (call->attempts.size() > 1 && first.fired && is_status(first.fault)) again_[place].insert(first.client_status);
    for (std::size_t i = 0; i + 1 < call->attempts.size(); i++) {
      auto &before = *call->attempts[i], &next = *call->attempts[i + 1];
      if (!trace::carried_out(before) || !trace::carried_out(next)) continue;
      if (tells_one_thing(before, next)) alike_.insert(place);
      if (!shows_as_usual(seen, before, next).empty()) as_usual_.insert(place);
      if (auto harm = harm_where_both_answered(seen, *call, before, next)) {
        auto& worst = harms_.try_emplace(place, *harm).first->second;
        worst = std::max(worst, *harm);
      }
    }
    auto effects = shown_in(seen, *call);
    if (effects == Effects::unknown) continue;
    auto& known = shown_[place];
    known = std::max(known, effects);
  }
}

std::vector<trace::Finding> KnownRepeats::settle(std::vector<trace::Finding>& said) const {
  auto taken = std::ranges::stable_partition(said, [&](auto& f) { return !refutes(f); });
  std::vector<trace::Finding> out(std::make_move_iterator(taken.begin()), std::make_move_iterator(taken.end()));
  said.erase(taken.begin(), taken.end());
  for (auto& f : said) {
    auto* waited = waited_elsewhere(f);
    if (waited && f.confidence > Confidence::possible)
      f.message +=
          fmt::format(" In {} the same waits {} before a retry: here the test may have put its own clock there.",
                      waited->test, show_gap(waited->time));
    if (waited || doubts(f)) f.confidence = std::min(f.confidence, Confidence::possible);
  }
  return out;
}

std::string not_sent_again(int status) {
  return fmt::format("was answered {} and not sent again", trace::show_status(status));
}

namespace {
std::tuple<std::string, std::string, std::string> place_of(const trace::Finding& f) {
  return {trace::service_name(f.service), f.site ? trace::key_of(*f.site) : "", f.operation};
}
}  // namespace

std::string while_answered(int status) { return fmt::format("while it was answered {}", trace::show_status(status)); }

const KnownRepeats::Waited* KnownRepeats::waited_elsewhere(const trace::Finding& f) const {
  if (f.verdict != "missing-delay") return nullptr;
  auto by = by_whom(f.retried_by, place_of(f));
  for (auto& [key, waited] : waited_)
    if (key.second == by && waited.test != f.test && f.message.contains(while_answered(key.first) + ":"))
      return &waited;
  return nullptr;
}

bool KnownRepeats::refutes(const trace::Finding& f) const {
  if (f.verdict == "not-retried-transient") {
    auto it = again_.find(place_of(f));
    return it != again_.end() &&
           std::ranges::any_of(it->second, [&](int status) { return f.message.contains(not_sent_again(status)); });
  }
  if (f.verdict != "duplicate-effect" && f.verdict != "retries-non-idempotent") return false;
  auto it = shown_.find(place_of(f));
  return it != shown_.end() && it->second == Effects::one;
}

bool KnownRepeats::doubts(const trace::Finding& f) const {
  bool only_sent = f.verdict == "retries-non-idempotent";
  if (f.verdict != "duplicate-effect" && !only_sent) return false;
  auto worst = harms_.find(place_of(f));
  bool harmless = worst != harms_.end() && worst->second == Confidence::possible;
  if (only_sent && (harmless || alike_.contains(place_of(f)))) return true;
  auto it = shown_.find(place_of(f));
  bool twice = it != shown_.end() && it->second == Effects::two;
  return !twice && as_usual_.contains(place_of(f));
}

trace::Judged taken_back(const trace::Finding& f) {
  return {f.test, f.site, f.service, f.operation, f.policy, f.fault, fmt::format("{}: {}", f.verdict, kKnewItAgain)};
}

}  // namespace retrial::oracles

#include "oracles/turn.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "oracles/evidence.h"
#include "oracles/ledger.h"
#include "predict/touch.h"
#include "trace/calls/activation.h"
#include "trace/fault_name.h"
#include "trace/profiles/message.h"
#include "trace/profiles/profile.h"

namespace retrial::oracles {
namespace {

using predict::Touch;
using trace::Comparison;
using trace::Exchange;

bool alike(const Exchange& a, const Exchange& b) { return a.operation == b.operation && a.tag.site == b.tag.site; }

// One lies in the other, or they are the same.
bool on_one_thing(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  return b.starts_with(a) && (a.size() == b.size() || b[a.size()] == '/');
}
bool on_one_thing(const Exchange& a, const Exchange& b) {
  return a.service == b.service && on_one_thing(predict::touch_of(a).path, predict::touch_of(b).path);
}

// Is `a` sent by who sent `b`, or (Node, where each request is a strand) for what had the answer to it?
bool one_strand(const Exchange& a, const Exchange& b) {
  if (a.pid != b.pid) return false;
  auto one = trace::strands_of(a.tag.stack), other = trace::strands_of(b.tag.stack);
  if (!trace::names_functions(a.tag.stack) || !trace::names_functions(b.tag.stack))
    return !other.empty() && std::ranges::find(one, other.back()) != one.end();
  return (one.empty() ? 0 : one.back()) == (other.empty() ? 0 : other.back());
}

// How the second of a pair came, in the case, as `was` did in the reference: one more of its kind than came before the
// first there.
Turn come(const Comparison& c, const Touch& first_before, const Touch& was, const Exchange& first) {
  Turn turn{.first = &first, .first_before = first_before.e, .second_before = was.e};
  auto before = std::ranges::count_if(c.reference->exchanges, [&](auto& e) {
    return alike(e, *was.e) && e.answered != 0 && e.answered <= first_before.e->answered;
  });
  // Whoever met the second's failure may have left, with the first on its way.
  auto released = first.fired_at + first.fault.delay;
  if (first.answered == 0 && first.told != 0) released = std::min(released, first.told);
  Touch held = predict::touch_of(first);
  held.kind = first_before.kind;
  std::ptrdiff_t answered = 0, sent = 0;
  for (auto& e : c.in_case->exchanges) {
    if (&e == &first || !alike(e, *was.e) || e.begun >= released) continue;
    Touch other = predict::touch_of(e);
    other.kind = was.kind;
    if (!predict::concern(held, other)) continue;
    if (++sent > before && turn.how == Turn::How::waited) turn.how = Turn::How::raced, turn.second = &e;
    if (e.answered != 0 && e.answered <= released && ++answered > before && turn.how != Turn::How::turned)
      turn.how = Turn::How::turned, turn.second = &e;
  }
  return turn;
}

// Answers in a test's own words, by operation.
std::map<std::string, int> carried_out_on(const trace::Run& run, const Exchange& thing, auto&& counts) {
  std::map<std::string, int> times;
  for (auto& e : run.exchanges)
    if (trace::carried_out(e) && on_one_thing(e, thing) && counts(e)) times[e.operation]++;
  return times;
}

std::string often(int times) { return times == 1 ? "once" : times == 2 ? "twice" : fmt::format("{} times", times); }

}  // namespace

std::optional<Turn> turn_of(const Comparison& c, const trace::Call& held) {
  auto* beside = counterpart(c, held);
  auto& first = held.first();
  if (!beside || !first.fired || first.fault.name != trace::FaultName::delay) return {};
  auto touches = predict::touches_of(*c.reference);
  auto at = std::ranges::find(touches, &beside->first(), &Touch::e);
  if (at == touches.end()) return {};
  std::optional<Turn> best;
  for (auto& touch : touches) {
    if (touch.e->call == beside->id || touch.e->begun < at->e->begun || touch.e->answered <= at->e->answered) continue;
    if (!predict::concern(*at, touch)) continue;
    auto turn = come(c, *at, touch, first);
    if (!best || turn.how < best->how) best = turn;
  }
  return best;
}

std::vector<const Exchange*> errors_of(const Comparison& c, const Turn& turn) {
  static constexpr std::array kStatuses = {404, 409, 410, 412, 423};  // RFC 9110 15.5, RFC 4918 11.3
  std::vector<const Exchange*> errors;
  for (auto& e : c.in_case->exchanges) {
    if (std::ranges::find(kStatuses, e.service_status) == kStatuses.end() || !delivered(e)) continue;
    if (!on_one_thing(e, *turn.first) || (e.method == "DELETE" && is_gone(e))) continue;
    if (e.service_status == 412 && trace::message::conditional(e)) continue;  // the condition was there to be refused
    bool known = std::ranges::any_of(c.reference->exchanges, [&](auto& r) {
      return r.operation == e.operation && r.service_status == e.service_status;
    });
    bool healed = std::ranges::any_of(c.in_case->exchanges, [&](auto& later) {
      return later.begun >= e.told && trace::carried_out(later) && on_one_thing(later, e) &&
             (alike(later, e) || one_strand(later, e));
    });
    if (!known && !healed) errors.push_back(&e);
  }
  return errors;
}

std::vector<std::string> changes_of(const Comparison& c, const Turn& turn) {
  auto decides = [](auto& e) {
    auto kind = predict::touch_of(e).kind;
    return kind == predict::Kind::create || kind == predict::Kind::release || kind == predict::Kind::end;
  };
  std::vector<std::string> changes;
  auto before = carried_out_on(*c.reference, *turn.first_before, decides);
  for (auto& [operation, times] : carried_out_on(*c.in_case, *turn.first, decides))
    if (auto was = before[operation]; times > was && was > 0)
      changes.push_back(
          fmt::format("{} was carried out {}, without the fault {}", operation, often(times), often(was)));
  auto now = carried_out_on(*c.in_case, *turn.first, had_effect);
  for (auto& [operation, times] : carried_out_on(*c.reference, *turn.first_before, had_effect))
    if (now[operation] == 0 && (turn.first->answered != 0 || operation != turn.first->operation))
      changes.push_back(fmt::format("{} was never carried out, without the fault {}", operation, often(times)));
  return changes;
}

std::string named_at(const Exchange& e) {
  return e.tag.site ? fmt::format("{} at {}", e.operation, trace::show(*e.tag.site)) : e.operation;
}

}  // namespace retrial::oracles

// What a write leaves: reads-back, agrees, becomes, gone, excludes.
#include <fmt/format.h>

#include <algorithm>

#include "checkers/monitor.h"

namespace retrial::checkers {
namespace {

// What W says of a field; nothing: it does not.
std::optional<std::string> said(Rule rule, const Field& f, const Deed& d) {
  if (rule == Rule::agrees) {
    auto* leaf = d.answer.at(f.left);
    return leaf ? std::optional(leaf->text) : std::nullopt;
  }
  if (f.left == "{path}") return std::string(d.last_segment());
  if (f.left.size() >= 2 && f.left.front() == '\'') return f.left.substr(1, f.left.size() - 2);
  if (auto* leaf = d.request.at(f.left)) return leaf->text;
  return {};
}

}  // namespace

void Monitor::set_after(std::size_t n, const Now& now, const std::string& spot) {
  auto& c = checkers_[n];
  auto& d = now.d;
  if (d.fate == Fate::refused) return;
  auto& service = d.e->service;
  auto last = world_.last(spot, service, c.within);
  // Of two writes at the same time the order is not known.
  if (last > now.begun || world_.open(spot, service, c.within)) return drop(n, spot);
  auto* before = find(n, spot);
  if (d.fate == Fate::unknown && (!before || last > before->set || c.rule == Rule::gone)) return drop(n, spot);
  auto& state = put(n, spot);
  state.values.resize(c.fields.size());
  if (d.fate == Fate::done) state.from.clear();
  state.from.push_back(d.e->id);
  state.set = now.ended;
  for (std::size_t i = 0; i < c.fields.size(); i++) {
    auto& may_be = state.values[i];
    auto value = said(c.rule, c.fields[i], d);
    if (d.fate == Fate::done) may_be.clear();
    if (value && (d.fate == Fate::done || !may_be.empty())) may_be.push_back(*value);  // the old, or the new
    if (!value && d.fate == Fate::unknown) may_be.clear();
  }
}

void Monitor::judge_reads_back(std::size_t n, const Now& now) {
  auto& c = checkers_[n];
  auto& d = now.d;
  bool missing = d.missing();
  if (!d.looks() || (d.fate != Fate::done && !missing) || (missing ? d.is_view() : !d.answer.known)) return;
  auto* state = find(n, d.spot);
  if (!state || !calm(c, now, d.spot, state->set)) return;
  for (std::size_t i = 0; i < c.fields.size(); i++) {
    auto& f = c.fields[i];
    auto& may_be = state->values[i];
    if (may_be.empty()) continue;
    auto* leaf = missing ? nullptr : d.answer.at(f.right);
    if (!leaf && !missing && (d.answer.redacted || d.is_view())) continue;
    bool right = leaf && std::ranges::find(may_be, leaf->text) != may_be.end();
    if (right) {
      tell(c, &f, Verdict::pass, now, state->from, leaf->text, "");
      continue;
    }
    auto found = missing ? fmt::format("{} says {}", c.then, d.e->service_status)
                 : leaf  ? fmt::format("{} answers {}", c.then, in_marks(leaf->text))
                         : fmt::format("{} answers without it", c.then);
    auto sent =
        may_be.size() == 1 ? in_marks(may_be.front()) : in_marks(may_be.front()) + " or " + in_marks(may_be.back());
    std::string how = c.rule == Rule::becomes ? "to be made " : c.rule == Rule::agrees ? "answered as " : "sent as ";
    tell(c, &f, Verdict::fail, now, state->from, leaf ? leaf->text : "",
         fmt::format("`{}` of {} was {} by {}, and {}", f.right, d.path, how + sent, c.after, found));
  }
}

void Monitor::judge_gone(std::size_t n, const Now& now) {
  auto& c = checkers_[n];
  auto& d = now.d;
  bool missing = d.missing();
  auto* state = find(n, d.spot);
  if (!d.looks() || !state || !calm(c, now, d.spot, state->set) || (d.fate != Fate::done && !missing)) return;
  if (!missing && d.is_view()) return;  // of what was once
  tell(c, nullptr, missing ? Verdict::pass : Verdict::fail, now, state->from, d.path,
       missing
           ? ""
           : fmt::format("{} was deleted by {}, and {} finds it ({})", d.path, c.after, c.then, d.e->service_status));
}

void Monitor::judge_excludes(std::size_t n, const Now& now) {
  auto& c = checkers_[n];
  auto& d = now.d;
  auto lease = d.asked();  // by the request alone: who is refused is told of no lease
  auto* state = find(n, lease);
  bool held = state && calm(c, now, lease, state->set) && d.e->answered - state->at <= kLeaseHolds;
  if (held && d.fate != Fate::unknown)
    tell(c, nullptr, d.fate == Fate::refused ? Verdict::pass : Verdict::fail, now, state->from, lease,
         d.fate == Fate::refused ? ""
                                 : fmt::format("{} was granted by {}, and granted again before it was given back",
                                               lease.substr(d.e->service.size()), c.after));
  if (d.fate == Fate::refused) return;
  if (d.fate == Fate::unknown) return drop(n, lease);
  auto& taken = put(n, lease);
  taken.set = now.ended;
  taken.at = d.e->begun;
  taken.from = {d.e->id};
}

}  // namespace retrial::checkers

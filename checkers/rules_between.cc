// What calls change between two reads: adds, keeps.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "checkers/monitor.h"
#include "checkers/tally.h"
#include "trace/profiles/profile.h"

namespace retrial::checkers {
namespace {

// The number of R's answer that `adds` is about.
std::optional<double> measured(const Field& f, const Body& body) {
  if (f.right.ends_with("[]")) {
    auto array = f.right.substr(0, f.right.size() - 2);
    if (!body.at(array)) return {};
    return static_cast<double>(body.length(array));
  }
  double value = 0;
  auto* leaf = body.at(f.right);
  if (!leaf || !number_of(*leaf, value)) return {};
  return value;
}

// "+1", "-amount": by how much one call moves it.
std::optional<double> amount_of(const std::string& left, const Deed& d) {
  if (left.size() < 2) return {};
  double sign = left.front() == '-' ? -1 : 1, value = 0;
  auto rest = std::string_view(left).substr(1);
  auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error == std::errc() && end == rest.data() + rest.size()) return sign * value;
  auto* leaf = d.request.at(rest);
  if (!leaf || !number_of(*leaf, value)) return {};
  return sign * value;
}

bool same_number(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max({1.0, std::abs(a), std::abs(b)}); }

}  // namespace

void Monitor::add_share(std::size_t n, const Now& now, const std::string& spot) {
  auto* state = find(n, spot);
  auto& d = now.d;
  if (!state || d.fate == Fate::refused) return;
  auto& c = checkers_[n];
  // It may have been carried out before that was read, or something else was written.
  if (now.begun < state->read || may_come_late(d) || world_.last(spot, d.e->service, c.within) > state->set)
    return drop(n, spot);
  auto amount = c.rule == Rule::adds ? amount_of(c.fields.front().left, d) : std::optional(0.0);
  if (!amount) return drop(n, spot);
  state->set = now.ended;
  state->from.push_back(d.e->id);
  auto earlier = unsure_.find(d.e->call);
  bool may_be_known = d.e->call != 0 && earlier != unsure_.end() && earlier->second < state->read;
  auto& share = state->shares[d.e->call ? d.e->call : d.e->id | (std::uint64_t{1} << 63)];
  bool again = share.exchange != 0 && d.e->confidence == trace::Confidence::possible;  // perhaps a call of its own
  share.amount = *amount;
  share.exchange = d.e->id;
  // What may be carried out twice, as a PUT that moves a version on, may have been.
  auto repeat = trace::profile_of(*d.e).repeat(*d.e);
  bool each = repeat == trace::Repeat::idempotent || repeat == trace::Repeat::safe;
  share.most = again || each ? share.most + 1 : 1;
  if (d.fate == Fate::done && !may_be_known) share.least = 1;
  for (std::size_t i = 0; i < c.fields.size() && c.rule == Rule::keeps; i++)
    if (d.request.has(c.fields[i].right) || !d.request.known) state->values[i].clear();
}

void Monitor::judge_between(std::size_t n, const Now& now) {
  auto& c = checkers_[n];
  auto& d = now.d;
  if (!d.looks()) return;
  bool is_list = looks_at_a_list(c);
  auto* whole = is_list && whole_ ? &*whole_ : nullptr;
  bool usable = d.fate == Fate::done && (is_list ? whole != nullptr : d.answer.known);
  auto begun = whole ? whole->begun : now.begun;
  auto is = standing(c, now);
  if (!usable || is.last > begun || is.open) {
    // A page is no end of what is looked at.
    if (!(is_list && d.fate == Fate::done)) drop(n, d.spot);
    return;
  }
  auto& body = whole ? whole->body : d.answer;
  if (auto* state = find(n, d.spot);
      state && calm(c, {d, begun, now.ended}, d.spot, state->set) && !state->shares.empty())
    c.rule == Rule::adds ? judge_adds(c, now, *state, body) : judge_keeps(c, now, *state);
  auto& state = put(n, d.spot);
  state = {};
  state.set = state.read = now.ended;
  state.from = {d.e->id};
  state.values.resize(c.fields.size());
  for (std::size_t i = 0; i < c.fields.size(); i++)
    if (c.rule == Rule::adds) {
      if (auto value = measured(c.fields[i], body)) state.values[i] = {show_number(*value)};
    } else if (auto* leaf = body.at(c.fields[i].right)) {
      state.values[i] = {leaf->text};
    }
}

void Monitor::judge_adds(const Checker& c, const Now& now, const State& state, const Body& body) {
  auto& f = c.fields.front();
  auto value = measured(f, body);
  if (!value || state.values.front().empty()) return;
  double before = std::strtod(state.values.front().front().c_str(), nullptr), least = 0, most = 0;
  int succeeded = 0;
  for (auto& [call, share] : state.shares) {
    double a = share.amount * share.least, b = share.amount * share.most;
    least += std::min(a, b);
    most += std::max(a, b);
    succeeded += share.least;
  }
  auto moved = *value - before;
  bool right = (moved > least || same_number(moved, least)) && (moved < most || same_number(moved, most));
  auto expected =
      same_number(least, most) ? show_number(least) : fmt::format("{} to {}", show_number(least), show_number(most));
  auto calls = state.shares.size();
  // Of what each call moves alike the places that it was moved from tell a move from a value that is set.
  tell(c, &f, right ? Verdict::pass : Verdict::fail, now, state.from,
       moves_by_constant(f) ? show_number(before) : show_number(least),
       right ? ""
             : fmt::format("`{}` of {} went from {} to {} over {} call{} of {} ({} succeeded), which stand{} for {}",
                           f.right, now.d.path, show_number(before), show_number(*value), calls, calls == 1 ? "" : "s",
                           c.after, succeeded, calls == 1 ? "s" : "", expected));
}

void Monitor::judge_keeps(const Checker& c, const Now& now, const State& state) {
  for (std::size_t i = 0; i < c.fields.size(); i++) {
    auto& f = c.fields[i];
    if (state.values[i].empty()) continue;
    auto* leaf = now.d.answer.at(f.right);
    if (!leaf && (now.d.answer.redacted || now.d.is_view())) continue;
    auto& before = state.values[i].front();
    bool right = leaf && leaf->text == before;
    tell(c, &f, right ? Verdict::pass : Verdict::fail, now, state.from, before,
         right ? ""
               : fmt::format("`{}` of {} was {} and is {}, though {} did not send it", f.right, now.d.path,
                             in_marks(before), leaf ? in_marks(leaf->text) : "not there", c.after));
  }
}

}  // namespace retrial::checkers

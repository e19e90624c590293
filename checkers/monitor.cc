#include "checkers/monitor.h"

#include <algorithm>

#include "trace/profiles/profile.h"

namespace retrial::checkers {
namespace {

constexpr std::size_t kLongestShown = 60, kMostUnsure = 100'000;

// "s/a/b" -> "s/a"; "" where nothing is left.
std::string parent_of(const std::string& spot, std::size_t service) {
  auto slash = spot.rfind('/');
  return slash == spot.npos || slash <= service ? "" : spot.substr(0, slash);
}

}  // namespace

std::string in_marks(std::string_view text) {
  std::string out = "\"";
  for (char c : text.substr(0, kLongestShown)) out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  return out + (text.size() > kLongestShown ? "...\"" : "\"");
}

bool looks_at_a_list(const Checker& c) {
  return c.rule == Rule::listed || c.rule == Rule::unlisted ||
         (c.rule == Rule::adds && c.fields.front().right.ends_with("[]"));
}

Monitor::Monitor(std::span<const Checker> checkers, Tell tell)
    : checkers_(checkers), tell_(std::move(tell)), index_(checkers), states_(checkers.size()) {}

Monitor::State* Monitor::find(std::size_t checker, const std::string& key) {
  auto it = states_[checker].find(key);
  return it == states_[checker].end() ? nullptr : &it->second;
}

Monitor::State& Monitor::put(std::size_t checker, const std::string& key) {
  auto& all = states_[checker];
  if (all.size() >= kMostStates && !all.contains(key)) all.clear();
  return all[key];
}

Monitor::Standing Monitor::standing(const Checker& c, const Now& now) {
  auto& known = standing_[static_cast<std::size_t>(c.within)];
  auto &spot = now.d.spot, &service = now.d.e->service;
  if (!known) known = {world_.last(spot, service, c.within), world_.open(spot, service, c.within)};
  return *known;
}

// Has nothing been written there since, and before the exchange that is looked at began? Nor is now.
bool Monitor::calm(const Checker& c, const Now& now, const std::string& spot, Event since) {
  if (since >= now.begun) return false;
  auto& service = now.d.e->service;
  if (spot != now.d.spot) return world_.last(spot, service, c.within) <= since && !world_.open(spot, service, c.within);
  auto is = standing(c, now);
  return is.last <= since && !is.open;
}

void Monitor::tell(const Checker& c, const Field* f, Verdict verdict, const Now& now,
                   const std::vector<std::uint64_t>& from, std::string value, std::string says) {
  Outcome out{&c, f, verdict, now.d.e->id, from, std::move(value), std::move(says)};
  out.evidence.push_back(now.d.e->id);
  tell_(out);
}

// Most of what passes no checker asks for.
Bodies Monitor::asked_for(const std::vector<Index::Hit>& hits) const {
  Bodies bodies{false, false};
  for (auto hit : hits) {
    auto rule = checkers_[hit.checker].rule;
    bodies.request = bodies.request || !hit.then || rule == Rule::echoes;
    bodies.answer = bodies.answer || hit.then || rule == Rule::agrees || rule == Rule::rises;
  }
  return bodies;
}

Monitor::Concern Monitor::concern_of(const trace::Exchange& e) {
  if (!index_.knows(e)) return Concern::none;
  bool marks = !e.tag.test.empty() || may_have_restarted(e);
  if (marks || trace::profile_of(e).repeat(e) != trace::Repeat::safe) return Concern::marks;
  return index_.of(e).empty() ? Concern::none : Concern::looks;
}

void Monitor::begins(const trace::Exchange& e) {
  auto hits = index_.of(e);
  auto bodies = asked_for(hits);
  auto& open = open_[e.id] = {deed_of(e, bodies), ++event_, std::move(hits)};
  world_.begins(open.deed, event_);
  if (!open.deed.looks()) world_.write_begins(open.deed);
}

void Monitor::ends(const trace::Exchange& e) {
  auto it = open_.find(e.id);
  if (it == open_.end()) return;
  auto open = std::move(it->second);
  open_.erase(it);
  auto& d = open.deed;
  Now now{d, open.begun, ++event_};
  bool lists =
      std::ranges::any_of(open.hits, [&](auto hit) { return hit.then && looks_at_a_list(checkers_[hit.checker]); });
  whole_ = d.looks() && d.fate == Fate::done && lists ? lists_.take(d, now.begun) : std::nullopt;
  if (!d.looks()) world_.write_closes(d);
  standing_ = {};
  for (auto hit : open.hits) {
    if (!hit.then && !d.looks()) wrote(hit.checker, now);
    if (hit.then && d.fate != Fate::unknown) answered(hit.checker, now);
  }
  if (!d.looks()) {
    world_.write_marks(d, now.ended);
    if (d.fate == Fate::unknown) {
      if (unsure_.size() >= kMostUnsure) unsure_.clear();
      unsure_.try_emplace(e.call, now.begun);
    }
  }
  if (may_have_restarted(e)) world_.forget(e.service, now.ended);
}

void Monitor::wrote(std::size_t n, const Now& now) {
  auto& c = checkers_[n];
  auto& spot = now.d.spot;
  auto outer = parent_of(spot, now.d.e->service.size());
  switch (c.rule) {
    case Rule::reads_back:
    case Rule::becomes:
    case Rule::agrees:
      set_after(n, now, spot);
      if (!outer.empty()) set_after(n, now, outer);
      return;
    case Rule::gone:
      return set_after(n, now, spot);
    case Rule::listed:
    case Rule::unlisted:
      set_item(n, now, spot);
      if (!outer.empty()) set_item(n, now, outer);
      return;
    case Rule::adds:
    case Rule::keeps:
      add_share(n, now, spot);
      each_outer(spot, now.d.e->service.size(), [&](const auto& further) { add_share(n, now, further); });
      return;
    case Rule::excludes:
      return judge_excludes(n, now);
    case Rule::rises:
      return judge_number(n, now);
    default:
      return;
  }
}

void Monitor::answered(std::size_t n, const Now& now) {
  switch (checkers_[n].rule) {
    case Rule::reads_back:
    case Rule::becomes:
    case Rule::agrees:
      return judge_reads_back(n, now);
    case Rule::gone:
      return judge_gone(n, now);
    case Rule::listed:
    case Rule::unlisted:
      return judge_list(n, now);
    case Rule::adds:
    case Rule::keeps:
      return judge_between(n, now);
    case Rule::never_falls:
      return judge_number(n, now);
    case Rule::same_answer:
      return judge_same(n, now);
    case Rule::echoes:
    case Rule::counts:
      return judge_own(n, now);
    default:
      return;
  }
}

void watch(std::span<const Checker> checkers, const trace::Run& run, const Monitor::Tell& tell) {
  struct Step {
    Nanos at;
    bool ends;
    const trace::Exchange* e;
  };
  std::vector<Step> steps;
  for (auto& e : run.exchanges) {
    steps.push_back({e.begun, false, &e});
    auto end = std::max({e.told, e.service_done, e.answered});
    if (end) steps.push_back({std::max(end, e.begun), true, &e});
  }
  // Of one moment the beginnings come first: what touches is taken for overlapping.
  std::ranges::stable_sort(steps, [](auto& a, auto& b) { return std::pair(a.at, a.ends) < std::pair(b.at, b.ends); });
  Monitor monitor(checkers, tell);
  for (auto& step : steps) step.ends ? monitor.ends(*step.e) : monitor.begins(*step.e);
}

}  // namespace retrial::checkers

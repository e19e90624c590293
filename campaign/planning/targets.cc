#include "campaign/planning/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "campaign/workload/adapters/adapter.h"
#include "oracles/compensations.h"
#include "oracles/guards.h"
#include "oracles/repeat.h"
#include "oracles/rpc_name.h"
#include "trace/comparing/comparison.h"
#include "trace/comparing/slices.h"
#include "trace/profiles/message.h"
#include "trace/profiles/profile.h"

namespace retrial::campaign {
namespace {

// The test that shows an effect, then the one that takes the least time.
bool better(const Place& a, const Place& b) {
  if (a.shows_effect != b.shows_effect) return a.shows_effect;
  return a.takes < b.takes;
}

bool in_test(const trace::Exchange& e) {
  return e.tag.phase == trace::Phase::test || e.tag.phase == trace::Phase::none;
}

// One that was sent again until its service had room, and then answered well, shows what its client does.
bool may_be_target(const trace::Call& call) {
  auto status = call.first().service_status;
  return trace::recovered(call) &&
         (status < 400 || (call.attempts.size() > 1 && trace::profile_of(call.first()).transient(status, {})));
}

// A target at one of its places alone.
Found at(const Found& found, const Place& place) {
  Found one = found;
  one.places = {place};
  one.target.test = place.test;
  one.target.occurrence = place.occurrence;
  return one;
}

std::string place_key(const Target& t) {
  return fmt::format("{}\n{}\n{}", t.site ? trace::key_of(*t.site) : "", t.operation, t.service);
}

// Of a read: what was there has changed since.
bool answered_otherwise(const trace::Call& before, const trace::Call& now) {
  auto &a = before.last(), &b = now.last();
  return trace::message::safe_method(b.method) && trace::message::succeeded(a) && trace::message::succeeded(b) &&
         !a.response_sample.empty() && !b.response_sample.empty() && a.response_sample != b.response_sample;
}

bool asks_for_the_same(const trace::Call& a, const trace::Call& b) {
  return a.first().target == b.first().target && a.first().request_digest == b.first().request_digest;
}

// Where no profile says what a repeat does, its name may say that there is nothing to repeat.
bool reads_by_name(const trace::Exchange& e) {
  return e.grpc.is ? oracles::rpc_reads(e) : e.method == "POST" && oracles::reads_by_name(e) && !oracles::lets_in(e);
}

// The calls of a test's own, each as a target there, counted as the director counts them.
std::vector<std::pair<trace::Call, Found>> calls_in(const std::string& test, const trace::Run& run) {
  std::vector<std::pair<trace::Call, Found>> calls;
  std::map<std::string, int> occurrences;
  for (auto& call : trace::calls_of(run)) {
    auto& e = call.first();
    if (e.tag.test != test || !in_test(e)) continue;
    Found at{.target = {test, e.tag.site, e.service, e.operation}, .profile = e.profile};
    at.target.occurrence = ++occurrences[place_key(at.target)];
    auto* profile = trace::profile_named(e.profile);
    if (profile) at.repeat = profile->repeat(e);
    if (at.repeat == trace::Repeat::unknown && reads_by_name(e)) at.repeat = trace::Repeat::safe;
    at.places.push_back({.test = test,
                         .occurrence = at.target.occurrence,
                         .reference = &run,
                         .takes = trace::time_of(run),
                         .at = e.begun - run.began,
                         .shows_effect = profile && !profile->effect(call.last()).empty()});
    calls.emplace_back(call, std::move(at));
  }
  return calls;
}

// The first call of a call site in a test.
struct Edge {
  const Found* found = nullptr;
  const Place* place = nullptr;
};
using Edges = std::map<std::string, std::map<std::string, Edge>>;  // by test, then by call site

// `each_operation`: one line that asks for several things (a helper's, through which all goes) is a call site for each.
Edges edges_of(const std::vector<Found>& all, bool each_operation) {
  Edges edges;
  for (auto& found : all)
    for (auto& place : found.places) {
      auto& edge = edges[place.test][each_operation ? place_key(found.target) : found.site()];
      if (!edge.place || place.at < edge.place->at) edge = {&found, &place};
    }
  return edges;
}

Edge first_of(const std::map<std::string, Edge>& sites) {
  return std::ranges::min_element(sites, {}, [](auto& s) { return s.second.place->at; })->second;
}

// An edge costs what its test takes, whatever its site. So a cover is cheapest that pairs as much as can be paired, of
// the sites those whose cheapest test is dearest first (a matching of greatest weight by the sites' weights: a
// transversal matroid, in which the greedy is exact), and adds the cheapest edge of whatever is left.
std::vector<Edge> cheapest_cover(const Edges& edges) {
  std::map<std::string, std::vector<std::pair<Nanos, std::string>>> tests_of;  // by site, the cheapest first
  for (auto& [test, sites] : edges)
    for (auto& [site, edge] : sites) tests_of[site].emplace_back(edge.place->takes, test);
  std::vector<std::string> order;
  for (auto& [site, tests] : tests_of) {
    std::ranges::sort(tests);
    order.push_back(site);
  }
  std::ranges::stable_sort(order, std::greater{}, [&](auto& site) { return tests_of[site].front().first; });

  std::map<std::string, std::string> site_of;  // by test
  std::set<std::string> asked;
  std::function<bool(const std::string&)> pair = [&](const std::string& site) {
    for (auto& [takes, test] : tests_of[site]) {
      if (!asked.insert(test).second) continue;
      auto taken = site_of.find(test);
      if (taken == site_of.end() || pair(taken->second)) {
        site_of[test] = site;
        return true;
      }
    }
    return false;
  };
  std::vector<Edge> cover;
  for (auto& site : order) {
    asked.clear();
    if (!pair(site)) cover.push_back(edges.at(tests_of[site].front().second).at(site));
  }
  for (auto& [test, sites] : edges) {
    auto paired = site_of.find(test);
    cover.push_back(paired == site_of.end() ? first_of(sites) : sites.at(paired->second));
  }
  return cover;
}

}  // namespace

std::string Found::site() const {
  return target.site ? trace::key_of(*target.site) : target.service + " " + target.operation;
}

std::vector<Found> find_targets(const std::map<std::string, const trace::Run*>& tests, bool test_files) {
  std::map<std::string, Found> found;
  std::set<std::string> hand_on_errors;
  oracles::Compensations compensations;
  oracles::Guards guards;
  for (auto& [test, run] : tests) {
    compensations.learn(*run, test);
    guards.learn(*run);
  }
  for (auto& [test, run] : tests) {
    std::map<std::string, const trace::Call*> first;
    auto calls = calls_in(test, *run);
    std::vector<const trace::Call*> earlier;
    for (auto& [call, at] : calls) {
      auto& site = at.target.site;
      earlier.push_back(&call);
      if (site && !test_files && is_test_file(site->file)) continue;
      if (site && call.last().service_status >= 500) hand_on_errors.insert(at.site());
      if (!may_be_target(call)) continue;
      auto key = place_key(at.target);
      if (found[key].compensation.step.empty()) found[key].compensation = compensations.before(earlier, test);
      found[key].guards = guards.kept_by(call.first());
      if (auto [it, fresh] = first.emplace(key, &call); !fresh) {
        auto& place = *std::ranges::find(found[key].places, test, &Place::test);
        place.later.push_back(at.target.occurrence);
        if (!asks_for_the_same(*it->second, call) || answered_otherwise(*it->second, call))
          place.last = at.target.occurrence;
        continue;
      }
      auto& here = at.places.front();
      auto& all = found[key];
      if (all.places.empty() || better(here, all.places.front())) {
        all.target = at.target;
        if (!at.profile.empty()) all.repeat = at.repeat;
        all.profile = at.profile;
      }
      all.places.insert(std::ranges::upper_bound(all.places, here, better), here);
    }
  }
  std::vector<Found> out;
  for (auto& [key, one] : found) {
    one.hands_on_errors = hand_on_errors.contains(one.site());
    out.push_back(std::move(one));
  }
  return out;
}

void add_unplaced_elsewhere(const std::vector<Found>& found, std::vector<Found>& to) {
  constexpr std::size_t kTests = 4;
  for (auto& f : found)
    for (std::size_t i = 1; !f.target.site && i < std::min(kTests, f.places.size()); i++)
      to.push_back(at(f, f.places[i]));
}

std::vector<std::string> never_answered_well(const std::map<std::string, const trace::Run*>& tests,
                                             const std::vector<Found>& found) {
  std::set<std::string> known;
  for (auto& f : found) known.insert(place_key(f.target));
  std::map<std::string, std::string> others;
  for (auto& [test, run] : tests)
    for (auto& [call, at] : calls_in(test, *run)) {
      auto& e = call.last();
      auto& target = at.target;
      bool failed = e.ending == trace::Ending::answered && trace::told_failed(e);
      if (failed && !(target.site && is_test_file(target.site->file)) && !known.contains(place_key(target)))
        others.try_emplace(place_key(target),
                           fmt::format("{} ({})", target.operation, trace::status_of(e, e.client_status)));
    }
  std::vector<std::string> out;
  for (auto& [key, shown] : others)
    if (std::ranges::find(out, shown) == out.end()) out.push_back(shown);
  return out;
}

std::map<std::uint64_t, Found> every_call(const std::string& test, const trace::Run& run) {
  std::map<std::uint64_t, Found> all;
  for (auto& [call, at] : calls_in(test, run)) all.emplace(call.first().id, std::move(at));
  return all;
}

std::vector<Found> covered(const std::vector<Found>& all, std::string_view coverage) {
  if (coverage == "c0") return all;
  auto edges = edges_of(all, coverage == "c4");
  std::vector<Edge> chosen;
  if (coverage == "c1")
    for (auto& [test, sites] : edges) chosen.push_back(first_of(sites));
  if (coverage == "c2") {
    std::map<std::string, Edge> cheapest;
    for (auto& [test, sites] : edges)
      for (auto& [site, edge] : sites)
        if (auto& best = cheapest[site]; !best.place || edge.place->takes < best.place->takes) best = edge;
    for (auto& [site, edge] : cheapest) chosen.push_back(edge);
  }
  if (coverage == "c3") chosen = cheapest_cover(edges);
  if (coverage == "c4")
    for (auto& [test, sites] : edges)
      for (auto& [site, edge] : sites) chosen.push_back(edge);
  std::vector<Found> out;
  for (auto& edge : chosen) out.push_back(at(*edge.found, *edge.place));
  return out;
}

std::vector<Found> once_a_site(std::vector<Found> found) {
  std::ranges::stable_sort(found, [](auto& a, auto& b) {
    return a.site() != b.site() ? a.site() < b.site() : better(a.places.front(), b.places.front());
  });
  auto others = std::ranges::unique(found, {}, &Found::site);
  found.erase(others.begin(), others.end());
  return found;
}

}  // namespace retrial::campaign

#include "predict/near_misses.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "predict/order.h"

namespace retrial::predict {
namespace {

constexpr std::size_t kMostAtOnce = 64;  // of one resource, and of what may stand between two: costs alone
constexpr std::size_t kLastOfEach = 2;   // of one resource, of those that are counted only: likewise
constexpr int kMostLooks = 8;            // at one pair of places: likewise
constexpr Nanos kLeastDelay = 5 * kMillisecond, kMostDelay = 100 * kMillisecond;

std::string place_of(const trace::Exchange& e) {
  return (e.tag.site ? trace::key_of(*e.tag.site) : "") + "\n" + e.operation;
}

// What came lately (`most` of each, no longer ago than `reach`), by each path that it is about or lies in.
class Recent {
 public:
  Recent(std::size_t most, Nanos reach) : most_(most), reach_(reach) {}
  void add(const Touch& t) {
    put(t, t.path);
    for (auto slash = t.path.rfind('/'); slash != t.path.npos && slash > 0; slash = t.path.rfind('/', slash - 1))
      put(t, t.path.substr(0, slash));
  }
  // Whatever may concern it, the earliest first.
  std::vector<const Touch*> beside(const Touch& t) {
    std::vector<const Touch*> found;
    auto look = [&](const std::string& path) {
      auto& all = by_path_[{t.e->service, path}];
      while (!all.empty() && t.e->begun - all.front()->e->begun > reach_) all.pop_front();
      for (auto* other : all)
        if (concern(*other, t) && std::ranges::find(found, other) == found.end()) found.push_back(other);
    };
    look(t.path);
    for (auto slash = t.path.rfind('/'); slash != t.path.npos && slash > 0; slash = t.path.rfind('/', slash - 1))
      look(t.path.substr(0, slash));
    std::ranges::sort(found, {}, [](auto* touch) { return touch->e->begun; });
    return found;
  }

 private:
  void put(const Touch& t, std::string path) {
    auto& all = by_path_[{t.e->service, std::move(path)}];
    all.push_back(&t);
    if (all.size() > most_) all.pop_front();
  }
  std::size_t most_;
  Nanos reach_;
  std::map<std::pair<std::string, std::string>, std::deque<const Touch*>> by_path_;
};

// Calls of their own, the first carried out first.
bool two_calls(const trace::Exchange& first, const trace::Exchange& second) {
  return first.attempt <= 1 && (first.call != second.call || second.call == 0) && first.answered <= second.answered;
}

}  // namespace

Side side_of(const Touch& t) {
  auto& e = *t.e;
  return {e.id, e.tag.site, e.operation, e.target, t.kind, e.service_status, e.begun, e.answered};
}

std::vector<NearMiss> near_misses(const trace::Run& run) {
  auto touches = touches_of(run);
  std::vector<NearMiss> found;
  std::set<std::pair<std::string, std::string>> known;
  Recent recent(kMostAtOnce, kNear);
  std::deque<const trace::Exchange*> lately;
  for (auto& now : touches) {
    auto& e = *now.e;
    if (!of_test(e)) continue;
    while (!lately.empty() && (e.begun - lately.front()->begun > kNear || lately.size() > kMostAtOnce))
      lately.pop_front();
    std::vector<const trace::Exchange*> between(lately.begin(), lately.end());
    for (auto* before : recent.beside(now)) {
      auto& first = *before->e;
      auto gap = e.answered - first.begun;
      if (gap > kNear || !two_calls(first, e)) continue;
      auto why = unordered(first, e, between);
      if (!why || !known.emplace(place_of(first), place_of(e)).second) continue;
      auto& resource = before->path.size() > now.path.size() && decides(before->kind) ? before->path : now.path;
      found.push_back({first.service, resource, side_of(*before), side_of(now), gap, std::move(*why)});
    }
    recent.add(now);
    lately.push_back(&e);
  }
  return found;
}

std::size_t further_apart(const trace::Run& run) {
  auto key_of = [](auto& side) { return (side.site ? trace::key_of(*side.site) : "") + "\n" + side.operation; };
  std::set<std::pair<std::string, std::string>> near, far;
  for (auto& miss : near_misses(run)) near.emplace(key_of(miss.first), key_of(miss.second));
  auto touches = touches_of(run);
  std::map<std::pair<std::string, std::string>, int> looked;
  Recent recent(kLastOfEach, INT64_MAX);
  for (auto& now : touches) {
    auto& e = *now.e;
    if (!of_test(e)) continue;
    for (auto* before : recent.beside(now)) {
      auto& first = *before->e;
      if (e.answered - first.begun <= kNear || !two_calls(first, e)) continue;
      std::pair places{place_of(first), place_of(e)};
      if (near.contains(places) || far.contains(places) || looked[places]++ >= kMostLooks) continue;
      if (unordered(first, e, {})) far.insert(std::move(places));
    }
    recent.add(now);
  }
  return far.size();
}

Nanos delay_for(Nanos gap) { return std::clamp((gap + kMillisecond) * 115 / 100, kLeastDelay, kMostDelay); }

}  // namespace retrial::predict

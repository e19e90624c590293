#include "checkers/world.h"

#include <algorithm>

namespace retrial::checkers {

void World::begins(const Deed& d, Event now) {
  auto& all = services_[d.e->service];
  if (all.test == d.e->tag.test) return;
  all.test = d.e->tag.test;
  all.test_began = now;
}

void World::write_begins(const Deed& d) {
  services_[d.e->service].open++;
  spots_[d.spot].open++;
  each_outer(d.spot, d.e->service.size(), [&](auto outer) { spots_[outer].open_below++; });
}

void World::write_closes(const Deed& d) {
  if (may_come_late(d)) return;
  services_[d.e->service].open--;
  spots_[d.spot].open--;
  each_outer(d.spot, d.e->service.size(), [&](auto outer) { spots_[outer].open_below--; });
}

void World::write_marks(const Deed& d, Event now) {
  if (d.fate == Fate::refused) return;
  auto& own = spots_[d.spot];
  services_[d.e->service].last = own.own = now;
  if (d.kind == predict::Kind::end) own.ended = now;
  each_outer(d.spot, d.e->service.size(), [&](auto outer) { spots_[outer].below = now; });
  if (spots_.size() <= kMostSpots) return;
  std::erase_if(spots_, [](auto& entry) { return entry.second.open == 0 && entry.second.open_below == 0; });
  for (auto& [service, all] : services_) all.forgotten = now;
}

void World::forget(const std::string& service, Event now) { services_[service].forgotten = now; }

World::Event World::last(const std::string& spot, const std::string& service, Within within) const {
  Event last = 0;
  if (auto it = services_.find(service); it != services_.end()) {
    last = it->second.forgotten;
    if (within == Within::test) last = std::max(last, it->second.test_began);
    if (within != Within::resource) return std::max(last, it->second.last);
  }
  if (auto it = spots_.find(spot); it != spots_.end()) last = std::max({last, it->second.own, it->second.below});
  each_outer(spot, service.size(), [&](auto outer) {
    if (auto it = spots_.find(outer); it != spots_.end()) last = std::max(last, it->second.own);
  });
  return last;
}

bool World::open(const std::string& spot, const std::string& service, Within within) const {
  if (within != Within::resource) {
    auto it = services_.find(service);
    return it != services_.end() && it->second.open > 0;
  }
  if (auto it = spots_.find(spot); it != spots_.end() && (it->second.open || it->second.open_below)) return true;
  bool open = false;
  each_outer(spot, service.size(), [&](auto outer) {
    auto it = spots_.find(outer);
    open = open || (it != spots_.end() && it->second.open > 0);
  });
  return open;
}

World::Event World::ended(const std::string& spot, const std::string& service) const {
  Event last = 0;
  if (auto it = services_.find(service); it != services_.end()) last = it->second.forgotten;
  auto look = [&](const std::string& at) {
    if (auto it = spots_.find(at); it != spots_.end()) last = std::max(last, it->second.ended);
  };
  look(spot);
  each_outer(spot, service.size(), look);
  return last;
}

}  // namespace retrial::checkers

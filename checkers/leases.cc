#include "checkers/leases.h"

#include "checkers/world.h"

namespace retrial::checkers {

bool refused_as_held(const Deed& d) {
  return d.fate == Fate::refused && (d.e->service_status == 409 || d.e->service_status == 423);
}

void Leases::saw(const Deed& d) {
  if (d.looks()) return;
  auto& operation = d.e->operation;
  auto asked = d.asked();
  if (d.kind == predict::Kind::lease) known_.emplace(service_of(*d.e), operation);
  auto give_back = [&](const std::string& spot) {
    auto at = held_.find(spot);
    if (at != held_.end() && at->second.operation != operation) at->second.given_back = true;
  };
  if (d.fate == Fate::done) {
    give_back(asked);
    each_outer(asked, d.e->service.size(), give_back);
  }
  auto it = held_.find(asked);
  bool same = it != held_.end() && it->second.operation == operation;
  if (same && refused_as_held(d) && !it->second.given_back) it->second.refused = true;
  if (d.fate != Fate::done) return;
  if (same && it->second.refused && it->second.given_back) known_.emplace(service_of(*d.e), operation);
  if (it == held_.end() || same || !it->second.refused) held_[asked] = {operation};
}

std::string Leases::why_not(const Checker& c) const {
  if (known_.contains({c.service, c.after})) return {};
  return "never seen to be given back and granted again";
}

}  // namespace retrial::checkers
